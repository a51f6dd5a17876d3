import PushModel
import PushPayload
import Results

/// The message of a run or a rendering, from a file, a scenario or the built-in samples.
enum Message {
    /// Reads the message source that the flags name.
    static func source(_ arguments: Arguments, inline: [UInt8]? = nil) throws -> MessageSource {
        let options = try PayloadOptions(parsing: arguments.all("option"))
        let bytes: [UInt8]
        var isSimulatorFile = false
        if let path = arguments["message"] {
            if arguments.has("dialect") {
                throw UsageError("--dialect is for the built-in message: --message names its own.")
            }
            if path == "-", arguments["installs"] == "-" {
                throw UsageError("--message - and --installs - both read stdin: give one a file.")
            }
            bytes = try fileBytes(path, what: "message file", faultPath: "")
            isSimulatorFile = path.hasSuffix(".apns")
        } else if let inline {
            bytes = inline
        } else {
            let dialect = try arguments.choice("dialect", of: Dialect.self) ?? .xulo
            bytes = dialect.sampleMessage
        }
        return MessageSource(
            bytes: bytes,
            isSimulatorFile: isSimulatorFile,
            options: options,
            isStrict: arguments.has("strict"),
            topic: arguments["topic"]
        )
    }

    /// A file's bytes, where a fault is a JSON line on stderr as all faults of messages are.
    static func fileBytes(_ path: String, what: String, faultPath: String) throws -> [UInt8] {
        do {
            return try InputFile.bytes(path, what: what)
        } catch {
            let line = PayloadFault(
                code: .invalidJSON,
                path: faultPath,
                message: error.lines.joined().replacing("pushbench: ", with: "")
            )
            throw CommandFault(.invalidInput, lines: [line.jsonLine])
        }
    }

    /// The shapes of bodies that an audience gets.
    private static func shapes(of table: InstallTable) -> BodyShapes {
        var shapes: BodyShapes = []
        if table.installsWithKey > 0 { shapes.insert(.sealed) }
        if table.installsWithKey < table.count { shapes.insert(.plain) }
        return shapes
    }

    /// Compiles a message for an audience, its sizes checked; warnings go to stderr.
    ///
    /// - Parameters:
    ///   - source: The message.
    ///   - table: The audience.
    ///   - isQuiet: Whether warnings are left out.
    /// - Returns: The message, ready to send.
    /// - Throws: A ``CommandFault`` with exit code 3 and one JSON line a fault.
    static func compile(
        _ source: MessageSource,
        for table: InstallTable,
        isQuiet: Bool = false
    ) throws -> CompiledPayload {
        let compilation = source.compile(hasInstallBadges: table.widestBadge != nil)
        var faults = compilation.faults
        if let payload = compilation.payload {
            faults += payload.checkSizes(
                widestBadge: table.widestBadge,
                longestUID: table.longestUID,
                shapes: shapes(of: table)
            )
        }
        let lines = faults.map(\.jsonLine)
        guard let payload = compilation.payload,
            !faults.contains(where: { $0.severity == .error })
        else { throw CommandFault(.invalidInput, lines: lines) }
        if !isQuiet { for line in lines { Terminal.complain(line) } }
        return payload
    }

    /// What the bodies of an audience take of the limit.
    static func sizeReport(_ payload: CompiledPayload, for table: InstallTable) -> SizeReport {
        payload.sizeReport(
            widestBadge: table.widestBadge,
            longestUID: table.longestUID,
            shapes: shapes(of: table)
        )
    }

    /// Less free room than this share of the limit is worth a word before a send.
    private static let scarceShare = 50

    /// Shows what the bodies take of the limit: to a person always, in a log where room is scarce.
    static func tellSizes(_ payload: CompiledPayload, for table: InstallTable) {
        let report = sizeReport(payload, for: table)
        let isScarce = report.headroom * scarceShare < report.limit
        guard Terminal.isInteractive || isScarce else { return }
        for line in isScarce ? report.lines : Array(report.lines.prefix(1)) {
            Terminal.complain(line)
        }
    }
}

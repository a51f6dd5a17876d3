/// How a reading treats malformed lines.
struct InstallReadingPolicy {
    var isStrict: Bool
    var keptFaults: Int
}

/// One pass over an install file: lines in, installs out to a sink, faults into the report.
struct InstallReading<Sink: InstallSink>: ~Copyable {
    var lines: LineReader
    var sink: Sink
    var report: InstallFileReport
    let policy: InstallReadingPolicy
    /// Told the number of installs now and then.
    var onProgress: ((Int) -> Void)?

    private static var installsPerNotice: Int { 1 << 14 }

    /// Looks at the start of the file and settles its format.
    init(
        lines: consuming LineReader,
        sink: Sink,
        format: InstallFileFormat?,
        policy: InstallReadingPolicy
    ) throws(InstallFileError) {
        let start = try InstallFileStart(try lines.prefix(), name: lines.name, format: format)
        lines.skip(start.markBytes)
        self.lines = lines
        self.sink = sink
        self.policy = policy
        report = InstallFileReport(format: start.format)
    }

    /// Reads to the end of the file.
    mutating func run() throws(InstallFileError) {
        switch report.format {
        case .csv: try runCSV()
        case .ndjson: try runNDJSON()
        }
    }

    /// Hands an install on and counts it.
    mutating func take(_ install: ParsedInstall) throws(InstallFileError) {
        do {
            try sink.take(install, line: lines.lineNumber)
        } catch {
            switch error {
            case .malformed(let problem): return try refuse(problem)
            case .full: throw .tooManyInstalls(name: lines.name)
            }
        }
        report.installs += 1
        if install.key != nil { report.installsWithKey += 1 }
        if report.installs.isMultiple(of: Self.installsPerNotice) { onProgress?(report.installs) }
    }

    /// Counts the current line as malformed; ends the reading where it is strict.
    @inline(never)
    mutating func refuse(_ problem: LineProblem) throws(InstallFileError) {
        if policy.isStrict {
            throw .malformedLine(
                name: lines.name,
                fault: InstallFault(line: lines.lineNumber, problem)
            )
        }
        report.note(problem, line: lines.lineNumber, keeping: policy.keptFaults)
    }
}

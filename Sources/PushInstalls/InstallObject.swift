public import PushModel

/// One install read from a JSON object by itself, as `render --install` takes it (design 4).
public struct InstallObject: Sendable, Equatable {
    /// The device token's hex digits as given.
    public let token: String
    /// The device's language as given; nil where the object has none or an empty one.
    public let language: String?
    /// The APNs environment of the install's build.
    public let environment: APNsEnvironment
    /// The badge for this install, if it has one.
    public let badge: Int64?
    /// The user id; nil where the object has none or an empty one.
    public let uid: String?
    /// The public key in base64; nil where the object has none or an empty one.
    public let publicKey: String?
    /// The cipher's name; nil where the object has none or an empty one.
    public let cipherName: String?
    /// The install's own id; nil where the object has none or an empty one.
    public let id: String?

    /// Reads one JSON object; unknown keys are ignored.
    ///
    /// - Parameter json: The object's bytes, UTF-8, with or without a byte order mark. Line breaks
    ///   between its parts are allowed.
    /// - Throws: ``InstallObjectError`` with every fault, in the order of contract 10.3's columns.
    public init(json: RawSpan) throws(InstallObjectError) {
        let reader = JSONInstall()
        var faults: [InstallFault] = []
        func attempt<Value>(
            or fallback: Value,
            _ read: () throws(LineProblem) -> Value
        ) -> Value {
            do {
                return try read()
            } catch {
                faults.append(InstallFault(line: 1, error))
                return fallback
            }
        }
        func text(_ column: InstallColumn) -> String? {
            attempt(or: nil) { () throws(LineProblem) in Self.string(try reader.text(column)) }
        }
        do {
            try json.withUnsafeBytes { (bytes) throws(LineProblem) in
                try reader.read(Self.withoutMark(bytes))
            }
        } catch {
            throw InstallObjectError(faults: [Self.located(error, in: json)])
        }
        token = attempt(or: "") { () throws(LineProblem) in
            Self.string(try reader.token()) ?? ""
        }
        language = attempt(or: nil) { () throws(LineProblem) in
            Self.string(try reader.language())
        }
        environment = attempt(or: .production) { () throws(LineProblem) in
            try InstallRules.environment(try reader.text(.environment))
        }
        badge = attempt(or: nil) { () throws(LineProblem) in try reader.badge() }
        uid = attempt(or: nil) { () throws(LineProblem) in Self.string(try reader.uid()) }
        let faultsBefore = faults.count
        publicKey = text(.publicKey)
        cipherName = text(.cipherName)
        if faults.count == faultsBefore {
            attempt(or: ()) { () throws(LineProblem) in _ = try reader.key() }
        }
        id = text(.id)
        guard faults.isEmpty else { throw InstallObjectError(faults: faults) }
    }

    /// A fault with the line and column of its place where the object is spread over lines.
    private static func located(_ problem: LineProblem, in json: RawSpan) -> InstallFault {
        guard case .syntax(let offset, let expected) = problem else {
            return InstallFault(line: 1, problem)
        }
        return json.withUnsafeBytes { bytes in
            let before = withoutMark(bytes).prefix(offset)
            let newline = UInt8(ascii: "\n")
            let column = before.count - (before.lastIndex(of: newline).map { $0 + 1 } ?? 0)
            return InstallFault(
                line: 1 + before.count { $0 == newline },
                .syntax(offset: column, expected)
            )
        }
    }

    private static func withoutMark(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        bytes.starts(with: [0xEF, 0xBB, 0xBF])
            ? UnsafeRawBufferPointer(rebasing: bytes.dropFirst(3)) : bytes
    }

    private static func string(_ bytes: UnsafeRawBufferPointer) -> String? {
        bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }
}

/// Everything that is wrong with an install written as a JSON object.
public struct InstallObjectError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The faults, at least one.
    ///
    /// Only a fault of the JSON itself has a line other than 1.
    public let faults: [InstallFault]

    /// The messages of the faults, one sentence each.
    public var description: String { faults.map(\.message).joined(separator: "; ") }
}

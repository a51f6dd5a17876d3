/// The stable codes of what can be wrong with a line of an install file (contract 6.1).
public enum InstallFaultCode: String, CaseIterable, Sendable {
    case missingField = "missing_field"
    case wrongType = "wrong_type"
    case invalidToken = "invalid_token"
    case invalidEnum = "invalid_enum"
    case outOfRange = "out_of_range"
    case invalidUnicode = "invalid_unicode"
    case invalidJSON = "invalid_json"
    /// A CSV line that is not built as RFC 4180 says.
    case invalidCSV = "invalid_csv"
}

/// A malformed line of an install file.
public struct InstallFault: Sendable, Equatable, CustomStringConvertible {
    /// The line's number in the file, from 1; the first line where a record has several.
    public let line: Int
    /// The code.
    public let code: InstallFaultCode
    /// `install.` and the column; empty where the whole line is meant.
    public let path: String
    /// One sentence that names the fault and the mend. Tokens and ids are never in it.
    public let message: String

    /// The line number, the code and the message.
    public var description: String { "line \(line): \(code.rawValue): \(message)" }

    init(line: Int, _ problem: LineProblem) {
        self.line = line
        code = problem.code
        path = problem.column?.path ?? ""
        message = problem.message
    }
}

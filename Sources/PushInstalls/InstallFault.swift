/// The stable codes of what can be wrong with a line of an install file (contract 6.1).
public enum InstallFaultCode: String, CaseIterable, Sendable {
    /// A field that every install needs is not there.
    case missingField = "missing_field"
    /// A value of another type than the column has.
    case wrongType = "wrong_type"
    /// A token that breaks the rule of contract 1.7.
    case invalidToken = "invalid_token"
    /// An environment of another name.
    case invalidEnum = "invalid_enum"
    /// A public key that is not RSA-2048 in a SubjectPublicKeyInfo in base64.
    case invalidPublicKey = "invalid_public_key"
    /// A cipher that no app registers.
    case unsupportedCipher = "unsupported_cipher"
    /// A value or a line that is too large, too long or negative.
    case outOfRange = "out_of_range"
    /// Bytes that are not UTF-8, or half of a surrogate pair.
    case invalidUnicode = "invalid_unicode"
    /// A line that is not one JSON object.
    case invalidJSON = "invalid_json"
    /// An object that has a key of an install twice.
    case duplicateKey = "duplicate_key"
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
    /// One sentence that names the fault and the mend.
    ///
    /// Tokens and ids are never in it.
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

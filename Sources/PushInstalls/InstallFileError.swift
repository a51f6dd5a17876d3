import Glibc

/// Why an install file cannot be read, checked or written at all.
public enum InstallFileError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The file cannot be opened; the number is the `errno`.
    case cannotOpen(name: String, errorNumber: Int32)
    /// Reading failed; the number is the `errno`.
    case cannotRead(name: String, errorNumber: Int32)
    /// Writing failed; the number is the `errno`.
    case cannotWrite(name: String, errorNumber: Int32)
    /// The file is packed, in UTF-16 or a JSON array: its form and how to turn it into ours.
    case unsupported(name: String, form: String, mend: String)
    /// The file has no line with anything on it.
    case empty(name: String)
    /// A CSV file's first line cannot be read as a header.
    case malformedHeader(name: String, fault: InstallFault)
    /// A CSV header without the column `token`, with the columns it has.
    case missingTokenColumn(name: String, columns: [String])
    /// A CSV file that starts with an install where the header belongs.
    case missingHeader(name: String)
    /// A CSV header that names a column twice.
    case repeatedColumn(name: String, column: String)
    /// A malformed line in a strict reading.
    case malformedLine(name: String, fault: InstallFault)
    /// The audience is larger than a table can hold.
    case tooManyInstalls(name: String)

    /// One sentence that names the file, the fault and the mend.
    public var description: String {
        switch self {
        case .cannotOpen(let name, let number):
            "cannot open the install file \(name): \(Self.text(of: number))"
        case .cannotRead(let name, let number):
            "cannot read the install file \(name): \(Self.text(of: number))"
        case .cannotWrite(let name, let number):
            "cannot write installs to \(name): \(Self.text(of: number))"
        case .unsupported(let name, let form, let mend):
            "the install file \(name) is \(form); \(mend)"
        case .empty(let name):
            "the install file \(name) is empty; it needs a CSV header line with the column token, "
                + "or one JSON object a line"
        case .malformedHeader(let name, let fault):
            "the CSV header of the install file \(name) cannot be read: \(fault.message)"
        case .missingTokenColumn(let name, let columns):
            "the install file \(name) has no column named token; its columns are "
                + Self.list(columns) + Self.separatorHint(columns)
        case .missingHeader(let name):
            "the install file \(name) starts with an install; its first line has to name the "
                + "columns, for example token,language"
        case .repeatedColumn(let name, let column):
            "the install file \(name) has the column \(column) twice; keep one of them"
        case .malformedLine(let name, let fault):
            "the install file \(name) is malformed at \(fault)"
        case .tooManyInstalls(let name):
            "the install file \(name) has more installs than fit in memory; send it in parts"
        }
    }

    private static func text(of errorNumber: Int32) -> String {
        guard let text = strerror(errorNumber) else { return "error \(errorNumber)" }
        return String(cString: text)
    }

    private static func list(_ columns: [String]) -> String {
        let shown = columns.prefix(12).map { "'" + String($0.prefix(60)) + "'" }
        let rest = columns.count - shown.count
        return shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
    }

    private static func separatorHint(_ columns: [String]) -> String {
        guard let only = columns.first, columns.count == 1 else { return "" }
        for (separator, name) in [(";", "semicolons"), ("\t", "tabs"), ("|", "bars")]
        where only.contains(separator) {
            return " (fields are separated by commas, not by \(name))"
        }
        return ""
    }
}

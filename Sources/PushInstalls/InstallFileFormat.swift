/// The forms an install file may have (contract 10.3).
public enum InstallFileFormat: String, CaseIterable, Sendable {
    /// A header line, then one install a line, fields separated by commas (RFC 4180).
    case csv
    /// One JSON object a line.
    case ndjson

    /// The format that a file's name promises; nil where it promises none.
    ///
    /// - Parameter name: A path; the end decides: `.csv`, or `.ndjson`, `.jsonl`, `.json`.
    /// - Returns: The format, or nil for another ending.
    public static func named(by name: String) -> InstallFileFormat? {
        let ending = name.split(separator: "/").last?.split(
            separator: ".",
            omittingEmptySubsequences: false
        ).dropFirst().last
        switch ending?.lowercased() {
        case "csv": return .csv
        case "ndjson", "jsonl", "json": return .ndjson
        default: return nil
        }
    }
}

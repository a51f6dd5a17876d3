/// Why a result could not be written or read.
public enum ResultError: Error, Equatable, Sendable {
    /// The file could not be read.
    case unreadable(path: String, fault: FileFault)
    /// A folder of results could not be read.
    case unreadableFolder(path: String, fault: FileFault)
    /// The file, or its folder, could not be written.
    case unwritable(path: String, fault: FileFault)
    /// The file is cut short, something else than JSON, or has a number that no field can hold.
    case notJSON(path: String)
    /// The file is JSON, but no result of pushbench.
    case notAResult(path: String)
    /// The file is a result in a format that this version does not read.
    case otherSchema(path: String, schema: String)
    /// A field is missing or of another kind.
    case damaged(path: String, field: String)
    /// The file lies in the folder of another machine or workload than its own.
    case misplaced(path: String)
    /// A number in the result is infinite or not a number.
    case notEncodable(field: String)
    /// A part of the store's path would lead elsewhere.
    case unsafeName(String)
}

extension ResultError: CustomStringConvertible {
    /// One sentence that names the file, the fault and the mend.
    public var description: String {
        switch self {
        case .unreadable(let path, let fault):
            "Cannot read the result \(path): \(fault.reason); check the path and its permissions."
        case .unreadableFolder(let path, let fault):
            "Cannot read the folder \(path): \(fault.reason); its results are left out until its "
                + "permissions are set right."
        case .unwritable(let path, let fault):
            "Cannot write the result \(path): \(fault.reason); \(fault.mend)."
        case .notJSON(let path):
            "The result \(path) is cut short or not the JSON that pushbench writes; remove it or take "
                + "an undamaged copy."
        case .notAResult(let path):
            "The file \(path) is no result of pushbench; give one that `pushbench run` wrote."
        case .otherSchema(let path, let schema):
            "The result \(path) has the format \(schema) and this pushbench reads "
                + "\(ResultSchema.current.name); use the pushbench that wrote it."
        case .damaged(let path, let field):
            "The result \(path) has no usable value at \(field); remove it or take an undamaged "
                + "copy."
        case .misplaced(let path):
            "The result \(path) lies in the folder of another machine or workload than it names; "
                + "move it to its own."
        case .notEncodable(let field):
            "The result has no finite number at \(field), so it was not written; report this with "
                + "the command line."
        case .unsafeName(let name):
            "The result cannot be stored under \"\(name)\"; use letters, digits, '.', '-' and '_'."
        }
    }
}

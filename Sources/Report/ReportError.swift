/// Why a page could not be made.
public enum ReportError: Error, Equatable, Sendable {
    /// The numbers of the plots could not be written as JSON.
    case noJSON(reason: String)
}

extension ReportError: CustomStringConvertible {
    /// One sentence that names the fault and the mend.
    public var description: String {
        switch self {
        case .noJSON(let reason):
            "The numbers of the plots cannot be put into the page: \(reason); report this with the "
                + "result."
        }
    }
}

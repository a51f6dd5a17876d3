/// The two APNs environments an install can belong to (contract 1.1, 10.3).
public enum APNsEnvironment: String, CaseIterable, Sendable {
    case production
    case sandbox
}

/// How much of a request the mock looks at.
public enum VerificationLevel: String, CaseIterable, Sendable {
    /// Nothing, not even the authorization: requests are counted and accepted.
    case off
    /// Method, path, authorization and header fields; the body is not looked at.
    case headers
    /// The headers, the size of the body, and that it is a JSON object.
    case full
    /// All of that, and what is in the body: see ``ContentCheck``, which ``MockConfiguration/content`` holds.
    case content
}

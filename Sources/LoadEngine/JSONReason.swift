import CJSON

/// Reads the `reason` of an APNs error body.
enum JSONReason {
    /// The reason; nil where the body is no JSON object with a string of that name.
    static func parse(_ body: RawSpan) -> String? {
        body.withUnsafeBytes { bytes -> String? in nil }
    }
}

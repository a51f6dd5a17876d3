/// Telling a dialect by a body, where nobody has said which it is.
extension Dialect {
    /// The dialect whose own keys a body has; ``apns`` where it has none of another's.
    ///
    /// A guess by design: a body of `apns` may carry custom keys that another vendor uses.
    ///
    /// - Parameter payload: The body.
    public init(recognising payload: JSONObject) {
        if payload["encrypted"]?.isTrue ?? false
            || (payload["oid"] != nil && payload["nid"] != nil && payload["sid"] != nil)
        {
            self = .salesforce
        } else if payload["xulo"] != nil || payload["custom"]?.objectValue?["a"] != nil {
            self = .xulo
        } else if payload.members.contains(where: { Self.isMappKey($0.key) }) {
            self = .mapp
        } else {
            self = .apns
        }
    }

    private static func isMappKey(_ key: String) -> Bool {
        key == "p" || key == "ios_apx_media"
            || MappAction.allCases.contains { $0.wireKey == key }
    }
}

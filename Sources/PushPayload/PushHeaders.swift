public import PushModel

/// The header fields that a message asks for (contract 1.2).
public struct PushHeaders: Equatable, Sendable {
    /// `apns-push-type`.
    public var pushType: PushType
    /// `apns-priority`.
    public var priority: Int
    /// `apns-expiration` in Unix seconds; nil where it is not sent.
    public var expiration: UInt64?
    /// `apns-collapse-id`, at most 64 bytes; nil where it is not sent.
    public var collapseID: String?
    /// `apns-id` in lowercase; nil where it is not sent.
    public var apnsID: String?
    /// `apns-topic` with the push type's suffix; nil where neither caller nor file names the app.
    public var topic: String?

    /// Makes headers.
    public init(
        pushType: PushType,
        priority: Int,
        expiration: UInt64? = nil,
        collapseID: String? = nil,
        apnsID: String? = nil,
        topic: String? = nil
    ) {
        self.pushType = pushType
        self.priority = priority
        self.expiration = expiration
        self.collapseID = collapseID
        self.apnsID = apnsID
        self.topic = topic
    }

    /// The fields that are sent, as names and values.
    public var fields: [(name: String, value: String)] {
        var fields = [
            (name: "apns-push-type", value: pushType.rawValue),
            (name: "apns-priority", value: String(priority)),
        ]
        if let topic { fields.append((name: "apns-topic", value: topic)) }
        if let expiration { fields.append((name: "apns-expiration", value: String(expiration))) }
        if let collapseID { fields.append((name: "apns-collapse-id", value: collapseID)) }
        if let apnsID { fields.append((name: "apns-id", value: apnsID)) }
        return fields
    }
}

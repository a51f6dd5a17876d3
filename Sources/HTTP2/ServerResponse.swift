/// An answer to a push: a status, the fields that APNs may send, and a JSON body or none.
///
/// The common answer, 200 with an apns-id, is made without allocating.
public struct ServerResponse: Sendable {
    /// A UUID's 36 characters.
    public typealias UUIDText = InlineArray<36, UInt8>

    /// The HTTP status.
    public var status: UInt16
    /// `apns-id`, if it is sent.
    public var apnsID: UUIDText?
    /// `apns-unique-id`, which only the sandbox environment sends.
    public var apnsUniqueID: UUIDText?
    /// Further fields, names in lowercase; seldom any.
    public var fields: [RequestProfile.Field]
    /// A JSON body; `content-type: application/json` goes with it where it is not empty.
    public var body: [UInt8]

    /// Makes an answer.
    public init(
        status: UInt16,
        apnsID: UUIDText? = nil,
        apnsUniqueID: UUIDText? = nil,
        fields: [RequestProfile.Field] = [],
        body: [UInt8] = []
    ) {
        self.status = status
        self.apnsID = apnsID
        self.apnsUniqueID = apnsUniqueID
        self.fields = fields
        self.body = body
    }
}

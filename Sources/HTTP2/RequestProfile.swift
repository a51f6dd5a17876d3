/// The header fields that all requests of one connection share, beside method and path.
public struct RequestProfile: Equatable, Sendable {
    /// How the fields are written with HPACK (contract 1.5).
    public enum Indexing: String, CaseIterable, Sendable {
        /// The path is never indexed; authorization and all constant fields are.
        case indexedAuth = "indexed-auth"
        /// Authorization too is a literal without indexing on every request.
        case strict
    }

    /// `https` or `http`.
    public var scheme: String
    /// `:authority`: host, and port where it is not the scheme's own.
    public var authority: String
    /// The constant `apns-…` fields in the order they are sent.
    public var fields: [Field]
    /// The `authorization` value; nil where a client certificate is used.
    public var authorization: String?
    /// The HPACK profile.
    public var indexing: Indexing
    /// Whether each request carries an `apns-id` of its own, in place of one among ``fields``: then
    /// it is submitted with ``ClientSession/submit(token:apnsID:body:tag:)``.
    public var hasOwnIDs: Bool

    /// A field name and value.
    public struct Field: Equatable, Sendable {
        /// The lowercase field name.
        public var name: String
        /// The field value.
        public var value: String

        /// Makes a field.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// Bytes of an `apns-id`: a UUID in its canonical form (contract 1.2).
    public static let idByteCount = 36

    /// The name of the field that ``hasOwnIDs`` speaks of.
    static let idName = "apns-id"

    /// The constant fields that a request carries.
    var constantFields: [Field] {
        hasOwnIDs ? fields.filter { $0.name != Self.idName } : fields
    }

    /// Makes a profile.
    public init(
        scheme: String,
        authority: String,
        fields: [Field] = [],
        authorization: String? = nil,
        indexing: Indexing = .indexedAuth,
        hasOwnIDs: Bool = false
    ) {
        self.scheme = scheme
        self.authority = authority
        self.fields = fields
        self.authorization = authorization
        self.indexing = indexing
        self.hasOwnIDs = hasOwnIDs
    }
}

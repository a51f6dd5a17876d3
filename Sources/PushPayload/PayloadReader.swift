public import PushCrypto

/// What an app reads from a body, as its dialect's SDK does (contract 3.2, 4, 5.2).
public struct PayloadReading: Sendable {
    /// The dialect by which the body was read.
    public var dialect: Dialect
    /// The title that is shown; nil for none.
    public var title: String?
    /// The text that is shown; nil for none.
    public var body: String?
    /// What else the SDK hands to the app, in a fixed order.
    public var properties: [JSONObject.Member]
    /// The payload, after decryption where it was encrypted.
    public var userInfo: JSONObject
    /// A number that equal secrets share, to notice one that comes twice; nil where nothing was
    /// encrypted.
    public var secretFingerprint: UInt64?

    /// The value of a property; nil where the body has none.
    public func property(_ name: String) -> JSONValue? { JSONObject(properties)[name] }

    /// The reading as one JSON object without a line end (design 4); what is absent is left out.
    public var json: String {
        var members = [JSONObject.Member(key: "dialect", value: .string(dialect.rawValue))]
        if let title { members.append(.init(key: "title", value: .string(title))) }
        if let body { members.append(.init(key: "body", value: .string(body))) }
        members += properties
        members.append(.init(key: "userInfo", value: .object(userInfo)))
        var bytes: [UInt8] = []
        JSONText.append(.object(JSONObject(members)), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Why an app could not read a body.
///
/// Holds nothing of a private key or a secret.
public struct PayloadRefusal: Error, Equatable, Sendable, CustomStringConvertible {
    /// The SDK's error code, such as `-1006`; for what is no JSON object the code of a message
    /// file's fault.
    public var code: String
    /// The place in the body: keys joined with `.`, empty for the whole body.
    public var path: String
    /// One sentence that names the thing and the mend.
    public var message: String

    /// Makes a refusal.
    public init(code: String, path: String, message: String) {
        self.code = code
        self.path = path
        self.message = message
    }

    /// The refusal as one JSON object without a line end (design 4).
    public var jsonLine: String {
        let document = JSONObject([
            .init(key: "code", value: .string(code)),
            .init(key: "path", value: .string(path)),
            .init(key: "message", value: .string(message)),
        ])
        var bytes: [UInt8] = []
        JSONText.append(.object(document), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The refusal as one line for people.
    public var description: String {
        path.isEmpty ? "\(code): \(message)" : "\(code) at \(path): \(message)"
    }
}

/// Reads bodies as a device does; any number of threads may share one.
public struct PayloadReader: Sendable {
    private let dialect: Dialect
    private let opener: ContentOpener?

    /// Makes a reader.
    ///
    /// - Parameters:
    ///   - dialect: The SDK that reads.
    ///   - opener: The device's private key; nil where it has none.
    public init(dialect: Dialect, opener: ContentOpener? = nil) {
        self.dialect = dialect
        self.opener = opener
    }

    /// Reads a body.
    ///
    /// - Parameter body: The body as it was sent.
    /// - Returns: What the app gets.
    /// - Throws: ``PayloadRefusal``: by salesforce's SDK, or where the body is no JSON object.
    public func read(_ body: [UInt8]) throws(PayloadRefusal) -> PayloadReading {
        try read(Self.object(body))
    }

    /// Reads a body that was parsed already.
    ///
    /// - Parameter payload: The body as it was sent.
    /// - Returns: What the app gets.
    /// - Throws: ``PayloadRefusal`` by salesforce's SDK.
    public func read(_ payload: JSONObject) throws(PayloadRefusal) -> PayloadReading {
        switch dialect {
        case .apns: return APNsReader.read(payload)
        case .mapp: return MappReader.read(payload)
        case .salesforce: return try SalesforceReader.read(payload, opener: opener)
        case .xulo: return XuloReader.read(payload)
        }
    }

    private static func object(_ body: [UInt8]) throws(PayloadRefusal) -> JSONObject {
        switch JSONDocument.parse(body) {
        case .value(.object(let payload)): return payload
        case .value(let value):
            throw PayloadRefusal(
                code: PayloadFaultCode.wrongType.rawValue,
                path: "",
                message: "a body is one JSON object, not \(value.kind)"
            )
        case .faults(let faults):
            let fault = faults.first
            throw PayloadRefusal(
                code: (fault?.code ?? .invalidJSON).rawValue,
                path: fault?.path ?? "",
                message: fault?.message ?? "the body is not JSON"
            )
        }
    }
}

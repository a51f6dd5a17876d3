import PushCrypto
import PushModel
import PushPayload
import Testing

@testable import MockAPNs

/// A message, an audience of a few installs, and a check that knows both.
struct ContentFixture {
    /// Two key pairs that all tests share: they take a while to make.
    static let pairs = Result { [try RSAKeyPair.generate(), try RSAKeyPair.generate()] }

    static let xulo = """
        {"dialect":"xulo","contents":{"en":"Hello","de":"Hallo"},"draft_id":7}
        """
    static let salesforce = """
        {"dialect":"salesforce","title":{"en":"Hi","de":"Hallo"},\
        "body":{"en":"Text","de":"Inhalt"},"oid":"o","nid":"n","sid":"s","notifType":"t",\
        "fullContent":true}
        """

    let payload: CompiledPayload
    let installs = InstallTable()
    let keys = PublicKeyStore()
    let pairs: [RSAKeyPair]

    /// English, German; with a key each, OAEP and PKCS#1 v1.5.
    init(_ message: String = Self.xulo) throws {
        pairs = try Self.pairs.get()
        let source = MessageSource(bytes: Array(message.utf8))
        payload = try #require(source.compile().payload)
        for (index, pair) in pairs.enumerated() {
            let key = SealingKey(
                index: keys.add(pair.publicKey),
                padding: index == 0 ? .oaepSHA256 : .pkcs1
            )
            try installs.append(
                token: Self.token(index).span.bytes,
                languageIndex: installs.intern(language: index == 0 ? "en-GB" : "de"),
                environment: .production,
                badge: index == 0 ? nil : 3,
                uid: Self.uid(index).span.bytes,
                key: key
            )
        }
    }

    static func token(_ index: Int) -> [UInt8] {
        Array((String(repeating: "ab", count: 31) + "0\(index)").utf8)
    }

    static func uid(_ index: Int) -> [UInt8] { Array("uid-\(index)".utf8) }

    func expectation(arrivesOnce: Bool = true) throws -> ContentExpectation {
        try ContentExpectation(
            payload: payload,
            installs: installs,
            keys: keys,
            opener: ContentOpener(keys: pairs),
            arrivesOnce: arrivesOnce
        )
    }

    /// What a loop has.
    func inspector(arrivesOnce: Bool = true) throws -> ContentInspector {
        let check = ContentCheck(
            opener: ContentOpener(keys: pairs),
            expectation: try expectation(arrivesOnce: arrivesOnce)
        )
        return ContentInspector(check, counters: CounterBlock())
    }

    func plain(variant: Int, uid: Int, badge: Int64? = nil) -> [UInt8] {
        payload.body(variant: variant, badge: badge, uid: Self.uid(uid).span.bytes)
    }

    func sealed(
        variant: Int,
        uid: Int,
        badge: Int64? = nil,
        key: Int,
        _ padding: WrapPadding
    ) throws -> [UInt8] {
        try payload.sealedBody(
            variant: variant,
            badge: badge,
            uid: Self.uid(uid).span.bytes,
            key: pairs[key].publicKey,
            padding: padding
        )
    }
}

extension ContentInspector {
    /// The names of the faults of a push.
    func names(_ token: [UInt8], _ body: [UInt8]) -> [String] {
        faults(token: token.span.bytes, body: body.span.bytes).faults.map(\.name)
    }
}

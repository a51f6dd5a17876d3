import PushCrypto

/// Reads bodies in the exact order of Salesforce's SDK for iOS (contract 3.2).
enum SalesforceReader {
    /// The SDK's codes for what is missing or of another type.
    private enum Code: String {
        case noSecret = "-1001"
        case noContent = "-1002"
        case noTitle = "-1003"
        case noBody = "-1004"
        case noAps = "-1005"
        case noAlert = "-1006"
    }

    static func read(
        _ payload: JSONObject,
        opener: ContentOpener?
    ) throws(PayloadRefusal) -> PayloadReading {
        guard payload["encrypted"]?.isTrue ?? false else {
            let shown = ShownAlert(of: payload)
            return reading(payload, title: shown.title, body: shown.body, fingerprint: nil)
        }
        let texts = try check(payload)
        let (content, fingerprint) = try open(texts, opener)
        var userInfo = payload
        for member in content.members { userInfo.set(member.key, to: member.value) }
        userInfo.remove("content")
        let title = userInfo["alertTitle"]?.stringValue
        let body = userInfo["alertBody"]?.stringValue
        showTexts(title: title, body: body, in: &userInfo)
        return reading(userInfo, title: title, body: body, fingerprint: fingerprint)
    }

    private static func reading(
        _ userInfo: JSONObject,
        title: String?,
        body: String?,
        fingerprint: UInt64?
    ) -> PayloadReading {
        var properties = [
            JSONObject.Member(key: "encrypted", value: .bool(fingerprint != nil))
        ]
        if let badge = userInfo["aps"]?.objectValue?["badge"] {
            properties.append(.init(key: "badge", value: badge))
        }
        properties += userInfo.members(of: SalesforceMessage.contentKeys)
        return PayloadReading(
            dialect: .salesforce,
            title: title,
            body: body,
            properties: properties,
            userInfo: userInfo,
            secretFingerprint: fingerprint
        )
    }

    /// Step 2: everything must be there with its type.
    private static func check(
        _ payload: JSONObject
    ) throws(PayloadRefusal) -> (secret: String, content: String) {
        let secret = try text("secret", of: payload["secret"], .noSecret)
        let content = try text("content", of: payload["content"], .noContent)
        let aps = try object("aps", of: payload["aps"], .noAps)
        let alert = try object("aps.alert", of: aps["alert"], .noAlert)
        _ = try text("aps.alert.title", of: alert["title"], .noTitle)
        _ = try text("aps.alert.body", of: alert["body"], .noBody)
        return (secret, content)
    }

    private static func text(
        _ path: String,
        of value: JSONValue?,
        _ code: Code
    ) throws(PayloadRefusal) -> String {
        if let text = value?.stringValue { return text }
        throw refusal(code, path, "\(path) must be a string, and it is \(value?.kind ?? "missing")")
    }

    private static func object(
        _ path: String,
        of value: JSONValue?,
        _ code: Code
    ) throws(PayloadRefusal) -> JSONObject {
        if let object = value?.objectValue { return object }
        let kind = value?.kind ?? "missing"
        throw refusal(code, path, "\(path) must be a dictionary, and it is \(kind)")
    }

    /// Steps 3 to 6: the content in the clear.
    private static func open(
        _ texts: (secret: String, content: String),
        _ opener: ContentOpener?
    ) throws(PayloadRefusal) -> (content: JSONObject, fingerprint: UInt64) {
        let opened: OpenedContent
        do throws(OpenFailure) {
            // Without keys it still looks at the secret's base64 first, as the SDK does.
            opened = try (opener ?? ContentOpener(keys: [])).open(
                secret: Array(texts.secret.utf8).span.bytes,
                content: Array(texts.content.utf8).span.bytes
            )
        } catch { throw refusal(error) }
        guard case .value(.object(let content)) = JSONDocument.parse(opened.plaintext) else {
            throw refusal(.contentNotObject)
        }
        return (content, opened.secretFingerprint)
    }

    private static func refusal(_ failure: OpenFailure) -> PayloadRefusal {
        PayloadRefusal(
            code: String(failure.code),
            path: failure.path,
            message: failure.description
        )
    }

    /// Step 8: the alert shows what was decrypted; a text that is absent leaves it.
    private static func showTexts(title: String?, body: String?, in userInfo: inout JSONObject) {
        guard var aps = userInfo["aps"]?.objectValue, var alert = aps["alert"]?.objectValue else {
            return
        }
        for (key, text) in [("body", body), ("title", title)] where alert[key] != nil {
            if let text { alert.set(key, to: .string(text)) } else { alert.remove(key) }
        }
        aps.set("alert", to: .object(alert))
        userInfo.set("aps", to: .object(aps))
    }

    private static func refusal(_ code: Code, _ path: String, _ message: String) -> PayloadRefusal {
        PayloadRefusal(code: code.rawValue, path: path, message: message)
    }
}

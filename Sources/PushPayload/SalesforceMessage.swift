import PushModel

/// A message of the dialect salesforce (contract 6.3).
struct SalesforceMessage: SealableMessage {
    private static let fieldNames =
        [
            "dialect", "title", "body", "oid", "nid", "sid", "notifType", "cid", "rid", "badge",
            "fullContent", "custom",
        ] + DeliveryFields.names + ["defaultLanguage"]
    /// The content's own keys, which `custom` may not bring again.
    static let contentKeys = [
        "oid", "uid", "nid", "type", "sid", "rid", "cid", "notifType", "alertTitle", "alertBody",
    ]
    /// Keys of the body that a content key would overwrite on the device (contract 3.2 step 7).
    private static let bodyKeys = ["aps", "content", "secret", "encrypted"]
    /// What a message is to the SDK that was not made by one of Salesforce's own types.
    private static let customType: Int64 = -1

    let pushType: PushType? = .alert
    let delivery: DeliveryFields
    let bundleID: String? = nil
    private(set) var languages: LanguageVariants
    let takesInstallBadge = true
    // The sound alone is something to show.
    let needsInstallBadge = false

    private let title: LocalizedText?
    private let body: LocalizedText?
    private let oid: String
    private let nid: String
    private let sid: String
    private let notifType: String
    private let cid: String
    private let rid: String?
    private let badge: JSONNumber?
    private let isFullContent: Bool
    private let custom: JSONObject
    private let usesNumericFlags: Bool

    /// Reads a message file.
    init(_ root: JSONObject, options: PayloadOptions, _ faults: inout FaultList) {
        let reader = FieldReader(root)
        func required(_ name: String) -> String {
            reader.requireField(name, &faults)
            return reader.string(name, &faults) ?? ""
        }
        usesNumericFlags = options.appleNumericFlags
        reader.requireField("title", &faults)
        title = LocalizedText.read("title", from: reader, &faults)
        reader.requireField("body", &faults)
        body = LocalizedText.read("body", from: reader, &faults)
        languages = LanguageVariants(
            of: [body, title],
            isUncertain: LanguageVariants.isUncertain(leading: [body, title]),
            areAllRequired: true,
            &faults
        )
        oid = required("oid")
        nid = required("nid")
        sid = required("sid")
        notifType = required("notifType")
        cid = reader.string("cid", &faults) ?? "all"
        rid = reader.string("rid", &faults)
        badge = reader.integer("badge", atLeast: 0, &faults)
        isFullContent = reader.bool("fullContent", &faults) ?? false
        custom = Self.custom(from: reader, &faults)
        delivery = DeliveryFields(from: reader, pushType: .alert, &faults)
        languages.readDefault(from: reader, &faults)
        reader.warnUnknown(known: Self.fieldNames, &faults)
    }

    private static func custom(from reader: FieldReader, _ faults: inout FaultList) -> JSONObject {
        let name = "custom"
        guard let custom = reader.object(name, &faults) else { return JSONObject() }
        let customReader = FieldReader(custom, at: name)
        for member in custom.members {
            let place = customReader.path(of: member.key)
            if bodyKeys.contains(where: { $0.hasSameBytes(as: member.key) }) {
                let message = "custom may not hold \(member.key), which the body needs itself"
                faults.add(.reservedKey, at: place, message)
            } else if contentKeys.contains(where: { $0.hasSameBytes(as: member.key) }) {
                let message = "custom may not hold \(member.key), which the message adds itself"
                faults.add(.reservedKey, at: place, message)
            } else {
                FieldReader.checkNumbers(in: member.value, at: place, &faults)
            }
        }
        return custom
    }
}

extension SalesforceMessage {
    func write(variant: Int, hasInstallBadge: Bool, to writer: inout PayloadWriter) {
        let shown = shownTexts(variant)
        writer.beginObject()
        writer.key("aps")
        writer.beginObject()
        writeAlert(title: shown.title, body: shown.body, to: &writer)
        writeSoundAndBadge(hasInstallBadge: hasInstallBadge, to: &writer)
        writer.endObject()
        writeContentMembers(variant: variant, to: &writer)
        writer.endObject()
    }

    func writeEnvelope(
        variant: Int,
        hasInstallBadge: Bool,
        to writer: inout PayloadWriter
    ) -> (secret: Int, content: Int) {
        writer.beginObject()
        writer.key("aps")
        writer.beginObject()
        // The SDK refuses an alert without a title: the empty one must be on the wire.
        writeAlert(title: "", body: text(title, variant), to: &writer)
        writeSoundAndBadge(hasInstallBadge: hasInstallBadge, to: &writer)
        writer.key("mutable-content")
        if usesNumericFlags { writer.integer(1) } else { writer.bool(true) }
        writer.endObject()
        writer.key("encrypted")
        writer.bool(true)
        writer.key("secret")
        let secret = writer.hole()
        writer.key("content")
        let content = writer.hole()
        writer.endObject()
        return (secret, content)
    }

    func writeContent(variant: Int, to writer: inout PayloadWriter) {
        writer.beginObject()
        writeContentMembers(variant: variant, to: &writer)
        writer.endObject()
    }

    /// What the device shows in the end: the title as the body of a discreet message.
    private func shownTexts(_ variant: Int) -> (title: String, body: String) {
        isFullContent
            ? (text(title, variant), text(body, variant)) : ("", text(title, variant))
    }

    private func text(_ text: LocalizedText?, _ variant: Int) -> String {
        text?.text(in: languages.language(of: variant)) ?? ""
    }

    private func writeAlert(title: String, body: String, to writer: inout PayloadWriter) {
        writer.key("alert")
        writer.beginObject()
        writer.member("title", title)
        writer.member("body", body)
        writer.endObject()
    }

    private func writeSoundAndBadge(hasInstallBadge: Bool, to writer: inout PayloadWriter) {
        writer.member("sound", "default")
        writer.badge(badge, orSlot: hasInstallBadge)
    }

    private func writeContentMembers(variant: Int, to writer: inout PayloadWriter) {
        writer.member("oid", oid)
        writer.key("uid")
        writer.uidSlot()
        writer.member("nid", nid)
        writer.key("type")
        writer.integer(Self.customType)
        writer.member("sid", sid)
        if let rid { writer.member("rid", rid) }
        writer.member("cid", cid)
        writer.member("notifType", notifType)
        let shown = shownTexts(variant)
        writer.member("alertTitle", shown.title)
        writer.member("alertBody", shown.body)
        for member in custom.members {
            writer.key(member.key)
            writer.value(member.value)
        }
    }
}

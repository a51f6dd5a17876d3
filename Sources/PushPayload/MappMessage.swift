import PushModel

/// A message of the dialect mapp: Mapp Engage's payload (contract 6.4).
struct MappMessage: DialectMessage {
    private static let fieldNames =
        [
            "dialect", "title", "subtitle", "body", "badge", "sound", "category", "uniqueID",
            "extraFields", "media", "action", "buttons", "rich", "silent", "triggerUpdate",
        ] + DeliveryFields.names + ["defaultLanguage"]
    private static let textNames = ["title", "subtitle", "body"]
    /// Keys of the body that extra fields may not take.
    private static let reservedKeys = [
        "aps", "p", "buttons", "isRich", "isTriggerUpdate", "ios_apx_media",
    ]
    static let reservedPrefix = "apx_"

    let pushType: PushType?
    let delivery: DeliveryFields
    let bundleID: String? = nil
    private(set) var languages: LanguageVariants
    private let isSilent: Bool
    var takesInstallBadge: Bool { !isSilent }
    // A body is always there, or nothing is to be shown.
    let needsInstallBadge = false

    private let title: LocalizedText?
    private let subtitle: LocalizedText?
    private let body: LocalizedText?
    private let badge: JSONNumber?
    private let sound: String?
    private let category: String?
    private let uniqueID: JSONNumber?
    private let extraFields: [JSONObject.Member]
    private let media: String?
    private let target: MappTarget?
    private let buttons: [MappButton]
    private let isRich: Bool
    private let isTriggerUpdate: Bool
    private let nestsExtraFields: Bool

    /// Reads a message file.
    init(_ root: JSONObject, options: PayloadOptions, _ faults: inout FaultList) {
        let reader = FieldReader(root)
        nestsExtraFields = options.extraFields == .nested
        // The flags decide how the texts are read, but their faults come after the buttons'.
        var flagFaults = faults.emptyCopy
        isRich = reader.bool("rich", &flagFaults) ?? false
        let silence = Self.silence(of: reader, &flagFaults)
        let silent = silence.isSilent ?? false
        isTriggerUpdate = silence.isTriggerUpdate
        isSilent = silent

        var texts: [String: LocalizedText] = [:]
        for name in Self.textNames {
            if isSilent {
                Self.refuseInSilence(name, of: reader, &faults)
            } else {
                texts[name] = LocalizedText.read(name, from: reader, &faults)
            }
        }
        if reader.value("body") == nil, silence.isSilent == false {
            let message = "body is missing; add it, or write \"silent\":true"
            faults.add(.missingField, at: "body", message)
        }
        title = texts["title"]
        subtitle = texts["subtitle"]
        body = texts["body"]
        // An absent title has no languages; an absent body is a fault of its own.
        let given = ["body", "title", "subtitle"].filter {
            reader.value($0) != nil || $0 == "body" && !silent
        }
        languages = LanguageVariants(
            of: [body, title, subtitle],
            isUncertain: LanguageVariants.isUncertain(leading: given.map { texts[$0] }),
            &faults
        )
        if isSilent {
            Self.refuseInSilence("badge", of: reader, &faults)
            Self.refuseInSilence("sound", of: reader, &faults)
            Self.refuseInSilence("category", of: reader, &faults)
            (badge, sound, category) = (nil, nil, nil)
        } else {
            badge = reader.integer("badge", atLeast: 0, &faults)
            sound = reader.string("sound", &faults)
            category = reader.string("category", &faults)
        }
        reader.requireField("uniqueID", &faults)
        uniqueID = reader.integer("uniqueID", atLeast: 1, &faults)
        extraFields = Self.extraFields(from: reader, &faults)
        if isSilent {
            Self.refuseInSilence("media", of: reader, &faults)
            media = nil
        } else {
            media = Self.media(from: reader, &faults)
        }
        target = MappTarget.read(from: reader, &faults)
        buttons = MappButton.read(from: reader, &faults)
        faults.append(flagFaults)
        pushType = silence.isSilent.map { $0 ? .background : .alert }
        delivery = DeliveryFields(from: reader, pushType: pushType, &faults)
        languages.readDefault(from: reader, &faults)
        reader.warnUnknown(known: Self.fieldNames, &faults, mend: UnknownKeyAdvice.mappField)
    }

    /// Whether nothing is shown; nil where a broken flag leaves that open.
    private static func silence(
        of reader: FieldReader,
        _ faults: inout FaultList
    ) -> (isSilent: Bool?, isTriggerUpdate: Bool) {
        let silent = reader.bool("silent", &faults)
        let triggerUpdate = reader.bool("triggerUpdate", &faults)
        let hasTexts = textNames.contains { reader.value($0) != nil }
        if silent == true { return (true, triggerUpdate ?? false) }
        if silent == nil, reader.value("silent") != nil { return (nil, triggerUpdate ?? false) }
        if triggerUpdate == nil, reader.value("triggerUpdate") != nil {
            return (hasTexts ? false : nil, false)
        }
        return (triggerUpdate == true && !hasTexts, triggerUpdate ?? false)
    }

    private static func refuseInSilence(
        _ name: String,
        of reader: FieldReader,
        _ faults: inout FaultList
    ) {
        guard reader.value(name) != nil else { return }
        let message = "a silent push shows nothing; remove \(name), or silent"
        faults.add(.backgroundHasUserKeys, at: reader.path(of: name), message)
    }

    /// Whether a key of the body is Mapp's own.
    static func isReserved(_ key: String) -> Bool {
        key.utf8.starts(with: reservedPrefix.utf8)
            || reservedKeys.contains { $0.hasSameBytes(as: key) }
    }

    private static func extraFields(
        from reader: FieldReader,
        _ faults: inout FaultList
    ) -> [JSONObject.Member] {
        let name = "extraFields"
        guard let object = reader.object(name, &faults) else { return [] }
        let extraReader = FieldReader(object, at: name)
        for member in object.members {
            let place = extraReader.path(of: member.key)
            if isReserved(member.key) {
                let message = "extraFields may not hold \(member.key), which is Mapp's own key"
                faults.add(.reservedKey, at: place, message)
            } else if case .string = member.value {
                continue
            } else {
                let message =
                    "extraFields holds texts only; write \(member.value.kind) in double quotes"
                faults.add(.wrongType, at: place, message)
            }
        }
        return object.members
    }

    private static func media(from reader: FieldReader, _ faults: inout FaultList) -> String? {
        let name = "media"
        guard let object = reader.object(name, &faults) else { return nil }
        let mediaReader = FieldReader(object, at: name)
        _ = mediaReader.choice("type", of: ["IMAGE", "VIDEO"], &faults)
        mediaReader.requireField("url", &faults)
        let url = mediaReader.string("url", &faults)
        mediaReader.warnUnknown(known: ["type", "url"], &faults)
        return url
    }
}

extension MappMessage {
    func write(variant: Int, hasInstallBadge: Bool, to writer: inout PayloadWriter) {
        writer.beginObject()
        writer.key("aps")
        writeAps(variant: variant, hasInstallBadge: hasInstallBadge, to: &writer)
        if let uniqueID {
            writer.key("p")
            writer.value(.number(uniqueID))
        }
        if let media { writer.member("ios_apx_media", media) }
        if let target { writer.member(target.action.wireKey, target.value) }
        if !buttons.isEmpty {
            writer.key("buttons")
            writer.beginArray()
            for button in buttons { button.write(to: &writer) }
            writer.endArray()
        }
        for (key, isOn) in [("isRich", isRich), ("isTriggerUpdate", isTriggerUpdate)] where isOn {
            writer.key(key)
            writer.bool(true)
        }
        writeExtraFields(to: &writer)
        writer.endObject()
    }

    private func writeAps(
        variant: Int,
        hasInstallBadge: Bool,
        to writer: inout PayloadWriter
    ) {
        writer.beginObject()
        if isSilent {
            writer.key("content-available")
            writer.integer(1)
            writer.endObject()
            return
        }
        let language = languages.language(of: variant)
        writer.key("alert")
        writer.beginObject()
        for (key, text) in [("title", title), ("subtitle", subtitle), ("body", body)] {
            if let text = text?.text(in: language) { writer.member(key, text) }
        }
        writer.endObject()
        writer.badge(badge, orSlot: hasInstallBadge)
        if let sound { writer.member("sound", sound) }
        // The device looks for the category's buttons in this language.
        let lc = category.flatMap { _ in language?.normalized.prefix { $0 != "-" } }
        if let category { writer.member("category", category) }
        if let lc { writer.member("lc", String(lc)) }
        if media != nil || lc != nil {
            writer.key("mutable-content")
            writer.integer(1)
        }
        writer.endObject()
    }

    private func writeExtraFields(to writer: inout PayloadWriter) {
        if nestsExtraFields {
            guard !extraFields.isEmpty else { return }
            writer.key("extraFields")
            writer.value(.object(JSONObject(extraFields)))
            return
        }
        for member in extraFields {
            writer.key(member.key)
            writer.value(member.value)
        }
    }
}

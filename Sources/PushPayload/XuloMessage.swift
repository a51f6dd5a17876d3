import PushModel

/// A message of the dialect xulo (contract 6.5).
struct XuloMessage: DialectMessage {
    private static let fieldNames =
        [
            "dialect", "contents", "headings", "url", "image", "data", "button", "draft_id",
            "defaultLanguage",
        ] + DeliveryFields.names
    /// Spellings of fields that are known too.
    private static let aliases = ["buttons", "ios_attachments"]
    private static let messageLimit = 2_000
    private static let titleLimit = 120

    /// A button as it is sent.
    private struct Button: Sendable {
        var id: String
        var text: String
    }

    let pushType: PushType? = .alert
    let delivery: DeliveryFields
    let bundleID: String? = nil
    private(set) var languages: LanguageVariants
    // The body has no badge (contract 11 `c-xulo-badge`).
    let takesInstallBadge = false
    let needsInstallBadge = false

    private let contents: LanguageMap?
    private let headings: LanguageMap?
    private let url: String?
    private let image: String?
    private let data: [JSONObject.Member]
    private let button: Button?
    private let draftID: JSONNumber?
    private let usesOneSignalNames: Bool

    /// Reads a message file.
    init(_ root: JSONObject, options: PayloadOptions, _ faults: inout FaultList) {
        let reader = FieldReader(root)
        usesOneSignalNames = options.onesignal
        contents = Self.contents(from: reader, options, &faults)
        headings = Self.headings(from: reader, options, &faults)
        languages = LanguageVariants(
            of: [contents.map { .map($0) }, headings.map { .map($0) }],
            isUncertain: contents == nil,
            &faults
        )
        url = Self.url(from: reader, &faults)
        image = Self.image(from: reader, &faults)
        data = Self.data(from: reader, &faults)
        button = Self.button(from: reader, &faults)
        draftID = Self.draftID(from: reader, &faults)
        languages.readDefault(from: reader, &faults)
        delivery = DeliveryFields(from: reader, pushType: .alert, &faults)
        reader.warnUnknown(known: Self.fieldNames, knownToo: Self.aliases, &faults)
    }

    func write(variant: Int, hasInstallBadge: Bool, to writer: inout PayloadWriter) {
        let language = languages.language(of: variant)
        writer.beginObject()
        writer.key("aps")
        writeAps(language: language, to: &writer)
        writer.key("custom")
        writer.beginObject()
        writer.key("a")
        writer.beginObject()
        for member in data {
            writer.key(member.key)
            writer.value(member.value)
        }
        writeDraftID(to: &writer)
        writer.endObject()
        if let url {
            writer.key("u")
            writer.string(url)
        }
        writer.endObject()
        if let image {
            writer.key("att")
            writer.beginObject()
            writer.key("id")
            writer.string(image)
            writer.endObject()
        }
        if let button { write(button, to: &writer) }
        writer.key("xulo")
        writer.beginObject()
        writeDraftID(to: &writer)
        writer.endObject()
        writer.endObject()
    }

    private func writeAps(language: LanguageMap.Entry?, to writer: inout PayloadWriter) {
        writer.beginObject()
        writer.key("alert")
        writer.beginObject()
        // A heading that is exactly empty is left out; the alert stays a dictionary.
        if let language, let title = headings?.text(in: language.normalized), !title.isEmpty {
            writer.key("title")
            writer.string(title)
        }
        writer.key("body")
        writer.string(language?.text ?? "")
        writer.endObject()
        writer.key("sound")
        writer.string("default")
        writer.key("category")
        writer.string("xulo")
        if image != nil {
            writer.key("mutable-content")
            writer.integer(1)
        }
        writer.endObject()
    }

    private func writeDraftID(to writer: inout PayloadWriter) {
        guard let draftID else { return }
        writer.key("draft_id")
        writer.value(.number(draftID))
    }

    private func write(_ button: Button, to writer: inout PayloadWriter) {
        writer.key("buttons")
        writer.beginArray()
        writer.beginObject()
        writer.key(usesOneSignalNames ? "i" : "id")
        writer.string(button.id)
        writer.key(usesOneSignalNames ? "n" : "text")
        writer.string(button.text)
        writer.endObject()
        writer.endArray()
    }
}

extension XuloMessage {
    private static func length(of text: String, _ options: PayloadOptions) -> Int {
        options.characters == .graphemes ? text.count : text.unicodeScalars.count
    }

    private static func contents(
        from reader: FieldReader,
        _ options: PayloadOptions,
        _ faults: inout FaultList
    ) -> LanguageMap? {
        let name = "contents"
        if reader.value(name) == nil {
            let message = "contents is missing; give the message in at least one language"
            faults.add(.missingField, at: name, message)
        }
        guard let object = reader.object(name, &faults) else { return nil }
        return LanguageMap(object, at: name, &faults) { text, place, faults in
            let length = length(of: text, options)
            if text.isEmpty {
                faults.add(.emptyMessage, at: place, "the message is empty; write a text")
            } else if length > messageLimit {
                let message =
                    "the message has \(length) characters; shorten it to \(messageLimit) or fewer"
                faults.add(.messageTooLong, at: place, message)
            }
        }
    }

    private static func headings(
        from reader: FieldReader,
        _ options: PayloadOptions,
        _ faults: inout FaultList
    ) -> LanguageMap? {
        let name = "headings"
        guard let object = reader.object(name, &faults) else { return nil }
        return LanguageMap(object, at: name, mayBeEmpty: true, &faults) { text, place, faults in
            let length = length(of: text, options)
            if length > titleLimit {
                let message =
                    "the title has \(length) characters; shorten it to \(titleLimit) or fewer"
                faults.add(.titleTooLong, at: place, message)
            }
        }
    }

    private static func url(from reader: FieldReader, _ faults: inout FaultList) -> String? {
        let name = "url"
        guard let text = reader.string(name, &faults) else { return nil }
        if XuloURL.isLink(text) { return text }
        let message = "url must be an https address with a host, or a link of an app's own scheme"
        faults.add(.invalidURL, at: name, message)
        return nil
    }

    /// The image, in its own field or as the one element of `ios_attachments`.
    private static func image(from reader: FieldReader, _ faults: inout FaultList) -> String? {
        let name = "image"
        let alias = "ios_attachments"
        var image = reader.string(name, &faults)
        var place = name
        if let attachments = reader.object(alias, &faults), !attachments.members.isEmpty {
            let aliasReader = FieldReader(attachments, at: alias)
            guard attachments.members.count == 1, reader.value(name) == nil else {
                let message = "a message has one image; name it once, in image"
                faults.add(.invalidEnum, at: alias, message)
                return nil
            }
            place = aliasReader.path(of: attachments.members[0].key)
            image = aliasReader.string(attachments.members[0].key, &faults)
        }
        guard let image else { return nil }
        if XuloURL.isImage(image) { return image }
        let message = "the image must be an https address with a host"
        faults.add(.imageNotHTTPS, at: place, message)
        return nil
    }

    private static func data(
        from reader: FieldReader,
        _ faults: inout FaultList
    ) -> [JSONObject.Member] {
        let name = "data"
        guard let object = reader.object(name, &faults) else { return [] }
        let dataReader = FieldReader(object, at: name)
        for member in object.members {
            let place = dataReader.path(of: member.key)
            if member.key == "draft_id" {
                let message = "data may not hold draft_id, which the message adds itself"
                faults.add(.reservedKey, at: place, message)
            } else if case .string = member.value {
                continue
            } else {
                let message = "data holds texts only; write \(member.value.kind) in double quotes"
                faults.add(.invalidDataValue, at: place, message)
            }
        }
        return object.members
    }

    private static func draftID(
        from reader: FieldReader,
        _ faults: inout FaultList
    ) -> JSONNumber? {
        let name = "draft_id"
        if reader.value(name) == nil {
            faults.add(.missingField, at: name, "draft_id is missing; give the draft's number")
        }
        return reader.integer(name, &faults)
    }

    /// The button, in its own field or as the one element of `buttons`.
    private static func button(from reader: FieldReader, _ faults: inout FaultList) -> Button? {
        let alias = "buttons"
        let single = reader.value("button")
        guard let plural = reader.value(alias) else {
            return single.flatMap { button($0, at: "button", &faults) }
        }
        guard case .array(let elements) = plural else {
            let message = "buttons must be an array, not \(plural.kind)"
            faults.add(.wrongType, at: alias, message)
            return nil
        }
        guard single == nil, elements.count <= 1 else {
            let message = "a message has one button; remove the others"
            faults.add(.tooManyButtons, at: alias, message)
            return nil
        }
        return elements.first.flatMap { button($0, at: "\(alias)[0]", &faults) }
    }

    private static func button(
        _ value: JSONValue,
        at path: String,
        _ faults: inout FaultList
    ) -> Button? {
        guard case .object(let object) = value else {
            let message = "a button must be an object with id and text, not \(value.kind)"
            faults.add(.wrongType, at: path, message)
            return nil
        }
        let reader = FieldReader(object, at: path)
        var parts: [String] = []
        for name in ["id", "text"] {
            if case .string(let text) = reader.value(name), !text.isEmpty {
                parts.append(text)
            } else {
                let message = "a button needs \(name), a text that is not empty"
                faults.add(.invalidButton, at: reader.path(of: name), message)
            }
        }
        return parts.count == 2 ? Button(id: parts[0], text: parts[1]) : nil
    }
}

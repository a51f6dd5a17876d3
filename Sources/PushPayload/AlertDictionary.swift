/// The dictionary under `aps.alert`, checked and in the order in which it is sent.
struct AlertDictionary: Sendable {
    /// What stands under a key.
    private enum Content: Sendable {
        case constant(JSONValue)
        case text(LocalizedText)
    }

    private struct Field: Sendable {
        var key: String
        var content: Content
    }

    private var fields: [Field] = []
    /// Whether a text could not be read, so that the languages are not known.
    private(set) var hasUncertainTexts = false

    /// Reads the dictionary; ActivityKit's alerts have forms of their own (contract 11 `c-la-alert`).
    init(
        _ object: JSONObject,
        at path: String,
        isActivityKit: Bool,
        _ faults: inout FaultList
    ) {
        let reader = FieldReader(object, at: path)
        let known = AlertKey.known(isActivityKit: isActivityKit)
        let unknown = object.members.filter { member in
            !known.contains { $0.rawValue.hasSameBytes(as: member.key) }
        }
        guard object.members.isEmpty || unknown.count < object.members.count else {
            hasUncertainTexts = true
            let message =
                "the alert dictionary has no key that Apple knows; languages go inside a text, "
                + "like \"body\":{\"en\":\"...\"}"
            faults.add(.wrongType, at: path, message)
            return
        }
        for key in known {
            if let content = content(of: key, from: reader, isActivityKit, &faults) {
                fields.append(Field(key: key.rawValue, content: content))
            }
        }
        for member in unknown {
            let place = reader.path(of: member.key)
            let message = UnknownKeyAdvice.inAlert(member.key)
            faults.warn(.unknownApsKey, at: place, message)
            FieldReader.checkNumbers(in: member.value, at: place, &faults)
            fields.append(Field(key: member.key, content: .constant(member.value)))
        }
    }

    /// The texts that may have languages, the leading one first (contract 11 `c-lang-map`).
    var localizedTexts: [LocalizedText?] {
        [AlertKey.body, .title, .subtitle].map { key in
            for field in fields where field.key == key.rawValue {
                if case .text(let text) = field.content { return text }
            }
            return nil
        }
    }

    private mutating func content(
        of key: AlertKey,
        from reader: FieldReader,
        _ isActivityKit: Bool,
        _ faults: inout FaultList
    ) -> Content? {
        let name = key.rawValue
        switch key {
        case .title, .subtitle, .body:
            guard let value = reader.value(name) else { return nil }
            if isActivityKit, case .object(let object) = value, object["loc-key"] != nil {
                FieldReader.checkNumbers(in: value, at: reader.path(of: name), &faults)
                return .constant(value)
            }
            guard let text = LocalizedText.read(name, from: reader, &faults) else {
                hasUncertainTexts = true
                return nil
            }
            return .text(text)
        case .launchImage, .titleLocKey, .subtitleLocKey, .locKey, .summaryArg, .action,
            .actionLocKey:
            return reader.string(name, &faults).map { .constant(.string($0)) }
        case .titleLocArgs: return arguments(key, needing: .titleLocKey, from: reader, &faults)
        case .subtitleLocArgs:
            return arguments(key, needing: .subtitleLocKey, from: reader, &faults)
        case .locArgs: return arguments(key, needing: .locKey, from: reader, &faults)
        case .sound: return AlertSound.read(name, from: reader, &faults).map { .constant($0) }
        case .summaryArgCount:
            return reader.number(name, &faults).map { .constant(.number($0)) }
        }
    }

    private func arguments(
        _ key: AlertKey,
        needing locKey: AlertKey,
        from reader: FieldReader,
        _ faults: inout FaultList
    ) -> Content? {
        if reader.value(key.rawValue) != nil, reader.value(locKey.rawValue) == nil {
            let message = "\(key.rawValue) fills in \(locKey.rawValue), which is missing; add it"
            faults.add(.missingField, at: reader.path(of: locKey.rawValue), message)
        }
        let texts = reader.strings(key.rawValue, &faults)
        return texts.map { .constant(.array($0.map { .string($0) })) }
    }

    /// Writes the dictionary in one language; a text that the language lacks is left out.
    func write(language: LanguageMap.Entry?, to writer: inout PayloadWriter) {
        writer.beginObject()
        for field in fields {
            switch field.content {
            case .constant(let value):
                writer.key(field.key)
                writer.value(value)
            case .text(let text):
                guard let text = text.text(in: language) else { continue }
                writer.key(field.key)
                writer.string(text)
            }
        }
        writer.endObject()
    }
}

/// A sound: a file name, or the dictionary of a critical alert (contract 2, 11 `c-sound-dict`).
enum AlertSound {
    /// Reads a field that is a sound.
    static func read(
        _ name: String,
        from reader: FieldReader,
        _ faults: inout FaultList
    ) -> JSONValue? {
        switch reader.value(name) {
        case nil: return nil
        case .string(let file): return .string(file)
        case .object(let object):
            return dictionary(FieldReader(object, at: reader.path(of: name)), &faults)
        case .some(let value):
            let message = "sound must be a file name or a dictionary, not \(value.kind)"
            faults.add(.wrongType, at: reader.path(of: name), message)
            return nil
        }
    }

    private static func dictionary(
        _ reader: FieldReader,
        _ faults: inout FaultList
    ) -> JSONValue {
        var members: [JSONObject.Member] = []
        let known = ["critical", "name", "volume"]
        if let isCritical = reader.flag("critical", &faults) {
            let value = JSONValue.number(.integer(isCritical ? 1 : 0))
            members.append(.init(key: "critical", value: value))
        }
        if let file = reader.string("name", &faults) {
            members.append(.init(key: "name", value: .string(file)))
        }
        if let volume = reader.number("volume", in: 0...1, &faults) {
            members.append(.init(key: "volume", value: .number(volume)))
        }
        for member in reader.object.members
        where !known.contains(where: { $0.hasSameBytes(as: member.key) }) {
            let place = reader.path(of: member.key)
            let message = UnknownKeyAdvice.inSound(member.key)
            faults.warn(.unknownApsKey, at: place, message)
            FieldReader.checkNumbers(in: member.value, at: place, &faults)
            members.append(member)
        }
        return .object(JSONObject(members))
    }
}

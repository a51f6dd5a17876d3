import PushModel

/// The `aps` dictionary of an apns message, checked and in the order in which it is sent.
struct ApsDictionary: Sendable {
    /// What stands under a key.
    enum Content: Sendable {
        case constant(JSONValue)
        case alert(AlertDictionary)
        /// The place of the badge, with the message's own where it has one.
        case badge(JSONValue?)
    }

    /// One key and what stands under it.
    struct Field: Sendable {
        var key: String
        var content: Content
    }

    private(set) var fields: [Field] = []
    /// The texts whose languages the message has: body, title, subtitle.
    private(set) var localizedTexts: [LocalizedText?] = []
    /// Whether a text could not be read, so that the languages are not known.
    private(set) var hasUncertainTexts = false
    /// Whether nothing is shown to an install that brings no badge.
    private(set) var needsInstallBadge = false

    private let pushType: PushType?

    /// Reads the dictionary.
    ///
    /// - Parameters:
    ///   - object: The message's `aps`.
    ///   - pushType: The push type; nil where it was refused, which leaves its rules aside.
    ///   - hasInstallBadges: Whether installs bring badges that count as something to show.
    ///   - faults: Where faults go, in the order of the keys.
    init(
        _ object: JSONObject,
        pushType: PushType?,
        hasInstallBadges: Bool,
        _ faults: inout FaultList
    ) {
        self.pushType = pushType
        let reader = FieldReader(object, at: "aps")
        if pushType == .background {
            readBackground(from: reader, &faults)
            return
        }
        let showsSomething = [.alert, .badge, .sound].contains { (key: ApsKey) in
            reader.value(key.rawValue) != nil
        }
        if pushType == .alert, !showsSomething {
            needsInstallBadge = true
            if !hasInstallBadges {
                let message = "an alert push needs an alert, a badge or a sound; give aps.alert"
                faults.add(.missingField, at: reader.path(of: ApsKey.alert.rawValue), message)
            }
        }
        for key in ApsKey.allCases {
            if let content = content(of: key, from: reader, &faults) {
                fields.append(Field(key: key.rawValue, content: content))
            }
        }
        readUnknownKeys(from: reader, &faults)
    }

    private mutating func content(
        of key: ApsKey,
        from reader: FieldReader,
        _ faults: inout FaultList
    ) -> Content? {
        checkLiveActivity(key, from: reader, &faults)
        if key == .alert { return alert(from: reader, &faults) }
        if key == .badge {
            let badge = reader.integer(key.rawValue, atLeast: 0, &faults)
            return .badge(badge.map { .number($0) })
        }
        return constant(key, from: reader, &faults).map { .constant($0) }
    }

    private func constant(
        _ key: ApsKey,
        from reader: FieldReader,
        _ faults: inout FaultList
    ) -> JSONValue? {
        let name = key.rawValue
        switch key {
        case .alert, .badge: return nil
        case .sound: return AlertSound.read(name, from: reader, &faults)
        case .threadID, .category, .targetContentID, .filterCriteria, .attributesType,
            .inputPushChannel:
            return reader.string(name, &faults).map { .string($0) }
        case .contentAvailable, .mutableContent, .inputPushToken:
            return reader.flag(name, &faults) == true ? .number(.integer(1)) : nil
        case .interruptionLevel:
            let levels = ["passive", "active", "time-sensitive", "critical"]
            return reader.choice(name, of: levels, &faults).map { .string($0) }
        case .relevanceScore:
            // A Live Activity ranks by any number; an unknown push type might be one.
            let isFree = pushType == .liveactivity || pushType == nil
            let score = reader.number(name, in: isFree ? nil : 0...1, &faults)
            return score.map { .number($0) }
        case .staleDate, .dismissalDate, .timestamp:
            return reader.number(name, &faults).map { .number($0) }
        case .contentState, .attributes:
            guard let object = reader.object(name, &faults) else { return nil }
            FieldReader.checkNumbers(in: .object(object), at: reader.path(of: name), &faults)
            return .object(object)
        case .event:
            let events = ["start", "update", "end"]
            return reader.choice(name, of: events, &faults).map { .string($0) }
        case .contentChanged:
            switch reader.value(name) {
            case nil, .bool(false): return nil
            case .bool(true): return .bool(true)
            case .some(let value):
                let message = "content-changed must be true, not \(value.kind)"
                faults.add(.wrongType, at: reader.path(of: name), message)
                return nil
            }
        case .urlArgs:
            let texts = reader.strings(name, &faults)
            return texts.map { .array($0.map { .string($0) }) }
        }
    }

    private mutating func alert(
        from reader: FieldReader,
        _ faults: inout FaultList
    ) -> Content? {
        let name = ApsKey.alert.rawValue
        switch reader.value(name) {
        case nil: return nil
        case .string(let text): return .constant(.string(text))
        case .object(let object):
            let isActivityKit = pushType == .liveactivity
            let place = reader.path(of: name)
            let alert = AlertDictionary(object, at: place, isActivityKit: isActivityKit, &faults)
            localizedTexts = alert.localizedTexts
            hasUncertainTexts = alert.hasUncertainTexts
            return .alert(alert)
        case .some(let value):
            hasUncertainTexts = true
            let message = "alert must be a string or a dictionary, not \(value.kind)"
            faults.add(.wrongType, at: reader.path(of: name), message)
            return nil
        }
    }

    /// What a Live Activity needs at this key (contract 11 `c-la-start`).
    private func checkLiveActivity(
        _ key: ApsKey,
        from reader: FieldReader,
        _ faults: inout FaultList
    ) {
        guard pushType == .liveactivity, reader.value(key.rawValue) == nil else { return }
        if key == .event {
            let message = "a liveactivity push needs an event: start, update or end"
            faults.add(.liveActivityIncomplete, at: reader.path(of: key.rawValue), message)
        } else if ApsKey.startKeys.contains(key),
            reader.value(ApsKey.event.rawValue) == .string("start")
        {
            let message = "a Live Activity starts only with \(key.rawValue); add it to aps"
            faults.add(.liveActivityIncomplete, at: reader.path(of: key.rawValue), message)
        }
    }

    /// A background push holds `content-available` alone (contract 11 `c-background`).
    private mutating func readBackground(from reader: FieldReader, _ faults: inout FaultList) {
        for key in ApsKey.allCases {
            let name = key.rawValue
            if key == .contentAvailable {
                if reader.value(name)?.isOff ?? true {
                    let message = "a background push needs content-available 1"
                    faults.add(.missingField, at: reader.path(of: name), message)
                } else if reader.flag(name, &faults) == true {
                    fields.append(Field(key: name, content: .constant(.number(.integer(1)))))
                }
            } else if let value = reader.value(name), !value.isOff {
                addUserKey(name, from: reader, &faults)
            }
        }
        for member in reader.object.members where ApsKey(spelled: member.key) == nil {
            if member.value.isOff {
                warnUnknown(member.key, from: reader, &faults)
            } else {
                addUserKey(member.key, from: reader, &faults)
            }
        }
    }

    private func addUserKey(_ name: String, from reader: FieldReader, _ faults: inout FaultList) {
        let message =
            "a background push has content-available alone in aps; remove \(name), or put it "
            + "beside aps"
        faults.add(.backgroundHasUserKeys, at: reader.path(of: name), message)
    }

    private mutating func readUnknownKeys(from reader: FieldReader, _ faults: inout FaultList) {
        for member in reader.object.members where ApsKey(spelled: member.key) == nil {
            warnUnknown(member.key, from: reader, &faults)
            let place = reader.path(of: member.key)
            FieldReader.checkNumbers(in: member.value, at: place, &faults)
            fields.append(Field(key: member.key, content: .constant(member.value)))
        }
    }

    private func warnUnknown(_ name: String, from reader: FieldReader, _ faults: inout FaultList) {
        let message = UnknownKeyAdvice.inAps(name)
        faults.warn(.unknownApsKey, at: reader.path(of: name), message)
    }
}

extension ApsDictionary {
    /// Writes the dictionary in one language.
    func write(
        language: LanguageMap.Entry?,
        hasInstallBadge: Bool,
        to writer: inout PayloadWriter
    ) {
        writer.beginObject()
        for field in fields {
            switch field.content {
            case .constant(let value):
                writer.key(field.key)
                writer.value(value)
            case .alert(let alert):
                writer.key(field.key)
                alert.write(language: language, to: &writer)
            case .badge(let badge):
                if hasInstallBadge {
                    writer.key(field.key)
                    writer.badgeSlot()
                } else if let badge {
                    writer.key(field.key)
                    writer.value(badge)
                }
            }
        }
        writer.endObject()
    }
}

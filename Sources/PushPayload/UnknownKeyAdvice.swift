/// Names the mend for a key that is not known where it stands (contract 10.5).
enum UnknownKeyAdvice {
    /// Spellings that other systems use for a key of `aps`.
    private static let apsSynonyms: [String: ApsKey] = [
        "thread-identifier": .threadID, "threadIdentifier": .threadID,
        "category-identifier": .category, "categoryIdentifier": .category,
        "sound-name": .sound, "silent": .contentAvailable,
    ]

    private static let alertSynonyms: [String: AlertKey] = [
        "message": .body, "text": .body, "content": .body, "heading": .title,
    ]

    static func inAps(_ name: String) -> String {
        if let key = apsKey(meantBy: name) {
            return "aps has no key \(name); did you mean \"\(key.rawValue)\"?"
        }
        if let key = alertKey(meantBy: name) {
            return "\(name) belongs inside aps.alert, as \"\(key.rawValue)\""
        }
        return "Apple ignores \(name) in aps; put a key of your own beside aps, in custom"
    }

    static func inAlert(_ name: String) -> String {
        if let key = ApsKey(spelled: name) {
            return "\(key.rawValue) belongs beside alert, in aps"
        }
        if let key = alertKey(meantBy: name) {
            return "alert has no key \(name); did you mean \"\(key.rawValue)\"?"
        }
        if let key = apsKey(meantBy: name) {
            return "\(name) belongs beside alert, in aps, as \"\(key.rawValue)\""
        }
        return "Apple ignores \(name) in alert; put a key of your own beside aps, in custom"
    }

    static func inSound(_ name: String) -> String {
        if let nearest = NearestName.find(name, in: ["critical", "name", "volume"]) {
            return "sound has no key \(name); did you mean \"\(nearest)\"?"
        }
        return "Apple ignores \(name) in sound; its keys are critical, name and volume"
    }

    /// A top-level field that a dialect does not know.
    static func field(_ name: String, known: [String]) -> String {
        if let nearest = NearestName.find(name, in: known) {
            return "there is no field \(name); did you mean \"\(nearest)\"?"
        }
        return "there is no field \(name), and it does not travel; the fields are "
            + known.joined(separator: ", ")
    }

    /// The mend for a top-level field of mapp that belongs elsewhere or has its wire name.
    static func mappField(_ name: String) -> String? {
        if MappAction.names.contains(name) { return "\(name) belongs inside action" }
        switch name {
        case "image", "video", "mediaType", "ios_apx_media":
            return "\(name) belongs inside media, which has type and url"
        case "language", "lc":
            return
                "\(name) is no field; write each text by language, like \"body\":{\"sv\":\"...\"}"
        case "isRich": return "there is no field \(name); did you mean \"rich\"?"
        case "isSilent": return "there is no field \(name); did you mean \"silent\"?"
        case "isTriggerUpdate": return "there is no field \(name); did you mean \"triggerUpdate\"?"
        case "p": return "there is no field \(name); did you mean \"uniqueID\"?"
        default: return nil
        }
    }

    /// A top-level field that the dialect apns does not know.
    static func apnsField(_ name: String, known: [String]) -> String {
        if name == APNsMessage.bundleKey {
            return "\(name) is read from a file whose name ends in .apns; give --topic instead"
        }
        if let mend = misplacedApsKey(name) { return mend }
        if let key = alertKey(meantBy: name) {
            return "\(name) belongs inside aps.alert, as \"\(key.rawValue)\""
        }
        if let nearest = NearestName.find(name, in: known) {
            return "there is no field \(name); did you mean \"\(nearest)\"?"
        }
        return "there is no field \(name), and it does not travel; put a key of your own in custom"
    }

    /// The mend for a top-level key that is plainly meant for `aps`, whatever its separators.
    static func misplacedApsKey(_ name: String) -> String? {
        let misplaced: [ApsKey] = [
            .alert, .badge, .sound, .threadID, .contentAvailable, .mutableContent,
            .interruptionLevel, .relevanceScore, .targetContentID,
        ]
        let hyphenated = String(decoding: name.utf8.map { $0 == 0x5F ? 0x2D : $0 }, as: UTF8.self)
        guard let key = ApsKey(spelled: hyphenated), misplaced.contains(key) else { return nil }
        return "\(name) belongs inside aps, as \"\(key.rawValue)\""
    }

    private static func apsKey(meantBy name: String) -> ApsKey? {
        if let key = apsSynonyms[name] { return key }
        return NearestName.find(name, in: ApsKey.names).flatMap { ApsKey(rawValue: $0) }
    }

    private static func alertKey(meantBy name: String) -> AlertKey? {
        if let key = alertSynonyms[name] { return key }
        let names = AlertKey.known(isActivityKit: false).map(\.rawValue)
        return NearestName.find(name, in: names).flatMap { AlertKey(rawValue: $0) }
    }
}

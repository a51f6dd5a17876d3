import PushModel

/// A message of the dialect apns: Apple's own payload (contract 6.2).
struct APNsMessage: DialectMessage {
    /// The key of a simulator file that names the app (contract 10.2).
    static let bundleKey = "Simulator Target Bundle"

    private static let fieldNames =
        ["dialect", "aps", "custom", "pushType"] + DeliveryFields.names + ["defaultLanguage"]

    let pushType: PushType?
    let delivery: DeliveryFields
    private(set) var bundleID: String?
    private(set) var languages: LanguageVariants
    private let aps: ApsDictionary?
    private let custom: JSONObject

    var takesInstallBadge: Bool { aps != nil && pushType != .background }

    var needsInstallBadge: Bool { aps?.needsInstallBadge ?? false }

    /// Reads a message file.
    init(_ root: JSONObject, hasInstallBadges: Bool, _ faults: inout FaultList) {
        let reader = FieldReader(root)
        // The push type decides how aps is read, but its faults come after those of aps.
        var pushTypeFaults = faults.emptyCopy
        pushType = Self.pushType(from: reader, &pushTypeFaults)
        aps = Self.aps(from: reader, pushType, hasInstallBadges, &faults)
        languages = Self.languages(of: aps, &faults)
        custom = Self.custom(from: reader, &faults)
        faults.append(pushTypeFaults)
        delivery = DeliveryFields(from: reader, pushType: pushType, &faults)
        languages.readDefault(from: reader, &faults)
        for member in root.members
        where !Self.fieldNames.contains(where: { $0.hasSameBytes(as: member.key) }) {
            let message = UnknownKeyAdvice.apnsField(member.key, known: Self.fieldNames)
            faults.warn(.unknownField, at: member.key, message)
        }
    }

    /// Reads a file of the simulator's format: the payload itself, with the app's bundle id.
    init(simulatorFile root: JSONObject, hasInstallBadges: Bool, _ faults: inout FaultList) {
        let reader = FieldReader(root)
        let pushType = Self.simulatorPushType(of: reader)
        self.pushType = pushType
        delivery = DeliveryFields()
        aps = Self.aps(from: reader, pushType, hasInstallBadges, &faults)
        languages = Self.languages(of: aps, &faults)
        var members: [JSONObject.Member] = []
        for member in root.members where member.key != "aps" && member.key != Self.bundleKey {
            if let mend = UnknownKeyAdvice.misplacedApsKey(member.key) {
                faults.warn(.unknownField, at: member.key, mend)
            }
            FieldReader.checkNumbers(in: member.value, at: member.key, &faults)
            members.append(member)
        }
        custom = JSONObject(members)
        bundleID = reader.string(Self.bundleKey, &faults)
        if let bundleID, !DeliveryFields.isHeaderValue(bundleID) {
            let message = "\(Self.bundleKey) must name a bundle id, without control characters"
            faults.add(.invalidHeaderValue, at: Self.bundleKey, message)
        }
    }

    func write(variant: Int, hasInstallBadge: Bool, to writer: inout PayloadWriter) {
        writer.beginObject()
        if let aps {
            writer.key("aps")
            let language = languages.language(of: variant)
            aps.write(language: language, hasInstallBadge: hasInstallBadge, to: &writer)
        }
        for member in custom.members {
            writer.key(member.key)
            writer.value(member.value)
        }
        writer.endObject()
    }

    private static func pushType(
        from reader: FieldReader,
        _ faults: inout FaultList
    ) -> PushType? {
        let name = "pushType"
        guard reader.value(name) != nil else { return .alert }
        let words = PushType.allCases.map(\.rawValue)
        return reader.choice(name, of: words, &faults).flatMap { PushType(rawValue: $0) }
    }

    /// What a simulator file is sent as (contract 11 `c-apns-file`).
    private static func simulatorPushType(of reader: FieldReader) -> PushType {
        var faults = FaultList(isStrict: false)
        guard let object = reader.object("aps", &faults) else { return .alert }
        let aps = FieldReader(object)
        if aps.value(ApsKey.event.rawValue) != nil { return .liveactivity }
        let shown: [ApsKey] = [.alert, .badge, .sound]
        let showsNothing = shown.allSatisfy { aps.value($0.rawValue) == nil }
        let isSilent = !(aps.value(ApsKey.contentAvailable.rawValue)?.isOff ?? true)
        return showsNothing && isSilent ? .background : .alert
    }

    private static func aps(
        from reader: FieldReader,
        _ pushType: PushType?,
        _ hasInstallBadges: Bool,
        _ faults: inout FaultList
    ) -> ApsDictionary? {
        if reader.value("aps") == nil, let pushType, pushType != .mdm {
            let message = "a \(pushType.rawValue) push needs the object aps; add it"
            faults.add(.missingField, at: "aps", message)
        }
        guard let object = reader.object("aps", &faults) else { return nil }
        return ApsDictionary(
            object,
            pushType: pushType,
            hasInstallBadges: hasInstallBadges,
            &faults
        )
    }

    private static func languages(
        of aps: ApsDictionary?,
        _ faults: inout FaultList
    ) -> LanguageVariants {
        // Without aps nothing is known of the texts: that fault is named already.
        LanguageVariants(
            of: aps?.localizedTexts ?? [],
            isUncertain: aps?.hasUncertainTexts ?? true,
            &faults
        )
    }

    private static func custom(
        from reader: FieldReader,
        _ faults: inout FaultList
    ) -> JSONObject {
        guard let custom = reader.object("custom", &faults) else { return JSONObject() }
        for member in custom.members {
            let place = "custom.\(member.key)"
            if member.key == "aps" {
                let message = "custom may not hold aps, which would stand in the body twice"
                faults.add(.reservedKey, at: place, message)
            } else {
                FieldReader.checkNumbers(in: member.value, at: place, &faults)
            }
        }
        return custom
    }
}

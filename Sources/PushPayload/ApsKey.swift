/// A key that Apple knows in `aps`, in the order in which the keys are sent (contract 6.2, 11).
enum ApsKey: String, CaseIterable, Sendable {
    case alert
    case badge
    case sound
    case threadID = "thread-id"
    case category
    case contentAvailable = "content-available"
    case mutableContent = "mutable-content"
    case targetContentID = "target-content-id"
    case interruptionLevel = "interruption-level"
    case relevanceScore = "relevance-score"
    case filterCriteria = "filter-criteria"
    case staleDate = "stale-date"
    case dismissalDate = "dismissal-date"
    case timestamp
    case contentState = "content-state"
    case event
    case attributesType = "attributes-type"
    case attributes
    case inputPushToken = "input-push-token"
    case inputPushChannel = "input-push-channel"
    case contentChanged = "content-changed"
    case urlArgs = "url-args"

    /// All names, in the order of the cases.
    static let names = allCases.map(\.rawValue)

    /// What a Live Activity must bring to start (contract 2).
    static let startKeys: [ApsKey] = [
        .alert, .timestamp, .contentState, .attributesType, .attributes,
    ]

    /// The key with exactly this spelling.
    init?(spelled name: String) {
        guard let key = Self.allCases.first(where: { $0.rawValue.hasSameBytes(as: name) }) else {
            return nil
        }
        self = key
    }
}

/// A key that Apple knows in the alert dictionary, in the order in which the keys are sent.
enum AlertKey: String, CaseIterable, Sendable {
    case title
    case subtitle
    case body
    case launchImage = "launch-image"
    case titleLocKey = "title-loc-key"
    case titleLocArgs = "title-loc-args"
    case subtitleLocKey = "subtitle-loc-key"
    case subtitleLocArgs = "subtitle-loc-args"
    case locKey = "loc-key"
    case locArgs = "loc-args"
    /// Known in ActivityKit's alerts alone (contract 11 `c-la-alert`).
    case sound
    case summaryArg = "summary-arg"
    case summaryArgCount = "summary-arg-count"
    case action
    case actionLocKey = "action-loc-key"

    /// The keys of an alert, with ActivityKit's or without.
    static func known(isActivityKit: Bool) -> [AlertKey] {
        isActivityKit ? allCases : allCases.filter { $0 != .sound }
    }
}

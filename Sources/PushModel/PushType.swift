/// The kind of a push, as the header `apns-push-type` names it (contract 1.3).
public enum PushType: String, CaseIterable, Sendable {
    case alert
    case background
    case complication
    case controls
    case fileprovider
    case liveactivity
    case location
    case mdm
    case pushtotalk
    case voip
    case widgets

    /// What the topic of this push type carries behind the bundle id; empty where nothing.
    ///
    /// `mdm` has no suffix either: its topic is the certificate subject's UID.
    public var topicSuffix: String {
        switch self {
        case .alert, .background, .mdm: ""
        case .complication: ".complication"
        case .controls: ".push-type.controls"
        case .fileprovider: ".pushkit.fileprovider"
        case .liveactivity: ".push-type.liveactivity"
        case .location: ".location-query"
        case .pushtotalk: ".voip-ptt"
        case .voip: ".voip"
        case .widgets: ".push-type.widgets"
        }
    }

    /// The largest body APNs takes for this push type, in bytes, inclusive (contract 1.1).
    public var bodyLimit: Int { self == .voip ? 5120 : 4096 }

    /// The priority a sender uses when the message names none (contract 6.1, 11 `c-priority-other`).
    public var defaultPriority: Int { self == .background ? 5 : 10 }

    /// The priorities APNs accepts for this push type (contract 1.3, 11 `c-priority-other`).
    public var allowedPriorities: [Int] {
        switch self {
        case .background: [5]
        case .liveactivity, .location: [5, 10]
        default: [1, 5, 10]
        }
    }
}

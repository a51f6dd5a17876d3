import PushModel

/// What the engine does about an answer (the action table of contract 1.6).
enum AnswerAction: Equatable {
    /// Accepted.
    case accept
    /// Rejected for good: the request is wrong.
    case reject
    /// Rejected for good: the token is.
    case dropToken
    /// Once more later; nothing else is held back.
    case delayPush
    /// Once more later, and the connection waits too.
    case slowConnection
    /// Once more after a pause that grows.
    case backOff
    /// Once more on another connection: this one takes no more pushes.
    case leaveConnection
    /// Once more with a new provider token.
    case renewToken
    /// Rejected, and all that follow would be: nothing more is sent to this target.
    case stopPool

    /// Whether the same push may be taken another time, or with other credentials.
    var isAboutTheMoment: Bool {
        switch self {
        case .delayPush, .slowConnection, .backOff, .leaveConnection: true
        case .renewToken, .stopPool: true
        case .accept, .reject, .dropToken: false
        }
    }

    /// Whether it is the sender that was refused.
    var isAboutCredentials: Bool { self == .renewToken || self == .stopPool }

    /// Finds the action for an answer; unknown reasons count by their status alone.
    ///
    /// 5xx statuses beside the two that APNs has come from something in between, which cannot say
    /// whether the push got through: not sent again.
    init(status: UInt16, reason: String?) {
        let known = reason.flatMap(APNsReason.init)
        self =
            switch (status, known) {
            case (200, _): .accept
            case (400, .badDeviceToken), (400, .deviceTokenNotForTopic), (410, _): .dropToken
            case (403, .expiredProviderToken): .renewToken
            case (403, _): .stopPool
            case (429, .tooManyProviderTokenUpdates): .slowConnection
            case (429, _): .delayPush
            case (503, .shutdown): .leaveConnection
            case (500, _), (503, _): .backOff
            default: .reject
            }
    }
}

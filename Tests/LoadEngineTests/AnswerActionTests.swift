import PushModel
import Testing

@testable import LoadEngine

/// The action table of contract 1.6, row by row.
@Suite struct AnswerActionTests {
    @Test(arguments: APNsReason.allCases)
    func eachReasonHasItsAction(_ reason: APNsReason) {
        let expected: AnswerAction =
            switch reason {
            case .badDeviceToken, .deviceTokenNotForTopic, .expiredToken, .unregistered: .dropToken
            case .expiredProviderToken: .renewToken
            case .badCertificate, .badCertificateEnvironment, .forbidden, .invalidProviderToken,
                .missingProviderToken, .unrelatedKeyIDInToken, .badEnvironmentKeyIDInToken:
                .stopPool
            case .tooManyProviderTokenUpdates: .slowConnection
            case .tooManyRequests: .delayPush
            case .internalServerError, .serviceUnavailable: .backOff
            case .shutdown: .leaveConnection
            default: .reject
            }
        let status = UInt16(reason.status)
        #expect(AnswerAction(status: status, reason: reason.rawValue) == expected)
    }

    @Test(
        arguments: [
            (200, .accept), (400, .reject), (403, .stopPool), (404, .reject), (405, .reject),
            (410, .dropToken), (413, .reject), (429, .delayPush), (500, .backOff), (502, .reject),
            (503, .backOff), (504, .reject),
        ] as [(UInt16, AnswerAction)]
    )
    func unknownReasonCountsByItsStatus(_ status: UInt16, _ action: AnswerAction) {
        #expect(AnswerAction(status: status, reason: "BrandNew") == action)
        #expect(AnswerAction(status: status, reason: nil) == action)
    }

    @Test func reasonUnderAStatusThatItDoesNotBelongToCountsByTheStatus() {
        #expect(AnswerAction(status: 400, reason: "TooManyRequests") == .reject)
        #expect(AnswerAction(status: 500, reason: "BadDeviceToken") == .backOff)
    }

    @Test(
        arguments: [
            (
                #"{"reason":"Unregistered","timestamp":1700000000123}"#, "Unregistered",
                1_700_000_000_123
            ),
            (#"{"timestamp":"soon","reason":"Unregistered","more":[]}"#, "Unregistered", nil),
            (#"{"reason":7}"#, nil, nil),
            ("<html>", nil, nil),
            ("", nil, nil),
        ] as [(String, String?, Int64?)]
    )
    func bodyOfARefusalIsReadAsFarAsItGoes(
        _ text: String,
        _ reason: String?,
        _ timestamp: Int64?
    ) {
        let bytes = Array(text.utf8)
        let body = bytes.withUnsafeBytes { RefusalBody(RawSpan(_unsafeBytes: $0)) }
        #expect(body.reason == reason)
        #expect(body.timestamp == timestamp)
    }
}

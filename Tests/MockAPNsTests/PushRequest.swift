@testable import HTTP2
@testable import MockAPNs

/// A request by its fields, for the rules without a session.
struct PushRequest {
    static let token = String(repeating: "0123456789abcdef", count: 4)
    static let topic = "com.example.app"

    var fields: [RequestField: String]
    var body: [UInt8]
    var duplicatedField: RequestField?

    /// A push that breaks no rule; without authorization.
    init(
        token: String = PushRequest.token,
        _ changes: [RequestField: String?] = [:],
        body: String = #"{"aps":{"alert":"Hi"}}"#
    ) {
        fields = [
            .method: "POST", .scheme: "https", .authority: "127.0.0.1",
            .path: "/3/device/\(token)", .apnsTopic: Self.topic, .apnsPushType: "alert",
        ]
        for (field, value) in changes { fields[field] = value }
        self.body = Array(body.utf8)
    }

    /// Calls `use` with a view of this request.
    func withView<R>(_ use: (borrowing RequestView) -> R) -> R {
        var bytes: [UInt8] = [0]
        var ranges = [RequestView.FieldRange](
            repeating: .init(),
            count: RequestField.allCases.count
        )
        for (field, value) in fields {
            let range = RequestView.FieldRange(
                offset: UInt32(bytes.count),
                count: UInt32(value.utf8.count)
            )
            ranges[Int(field.rawValue)] = range
            bytes += value.utf8
        }
        return ranges.withUnsafeBufferPointer { ranges in
            bytes.withUnsafeBytes { bytes in
                body.withUnsafeBytes { body in
                    guard let ranges = ranges.baseAddress, let bytes = bytes.baseAddress else {
                        preconditionFailure("arrays that are not empty have an address")
                    }
                    return use(
                        RequestView(
                            fields: ranges,
                            fieldBytes: bytes,
                            bodyBytes: body,
                            duplicatedField: duplicatedField
                        )
                    )
                }
            }
        }
    }
}

/// One connection to the rules: decides on requests and keeps what is remembered between them.
final class RuleConnection {
    var rules: APNsRules
    var state = ConnectionRuleState()
    var identifiers = UUIDGenerator(seed: 1)
    /// Seconds since the epoch.
    var now: Int64 = 1_700_000_000

    init(_ rules: APNsRules = APNsRules(authentication: .off)) { self.rules = rules }

    func decide(_ request: PushRequest) -> PushDecision {
        request.withView {
            rules.decide($0, connection: &state, now: now, identifiers: &identifiers)
        }
    }

    /// The status and reason in one line, for example `400 BadTopic`, or `200`.
    func answer(_ request: PushRequest) -> String {
        let decision = decide(request)
        guard let reason = decision.reason else { return "\(decision.status)" }
        return "\(decision.status) \(rules.reasons.name(of: reason))"
    }
}

extension PushDecision {
    /// `apns-id` as text.
    var apnsIDText: String { String(uuid: apnsID) }
}

extension String {
    init(uuid: ServerResponse.UUIDText) {
        self = String(decoding: uuid.indices.map { uuid[$0] }, as: UTF8.self)
    }
}

@testable import PushPayload

/// A random valid apns message, and the body that it must give.
struct RandomMessage {
    private let languages: [String]
    private let bodies: [String]
    private let titles: [String]
    private let badge: Int64?
    private let custom: [JSONObject.Member]

    init(_ random: inout SeededRandom) {
        let known = ["en", "tr", "de-DE", "zh-Hant", "ar"]
        let count = Int.random(in: 0...known.count, using: &random)
        languages = Array(known.shuffled(using: &random).prefix(count))
        bodies = (0..<max(count, 1)).map { _ in Self.text(&random) }
        titles = (0..<max(count, 1)).map { _ in Self.text(&random) }
        badge = Bool.random(using: &random) ? .random(in: 0...200, using: &random) : nil
        custom = (0..<Int.random(in: 0...3, using: &random)).map { index in
            .init(key: "k\(index)" + Self.text(&random), value: Self.value(&random, depth: 3))
        }
    }

    /// The message file.
    var bytes: [UInt8] {
        let alert = JSONObject([
            .init(key: "body", value: localized(bodies)),
            .init(key: "title", value: localized(titles)),
        ])
        var aps = [JSONObject.Member(key: "alert", value: .object(alert))]
        if let badge { aps.append(.init(key: "badge", value: .number(.integer(badge)))) }
        let message = JSONObject([
            .init(key: "dialect", value: .string("apns")),
            .init(key: "custom", value: .object(JSONObject(custom))),
            .init(key: "aps", value: .object(JSONObject(aps))),
        ])
        var bytes: [UInt8] = []
        JSONText.append(.object(message), to: &bytes)
        return bytes
    }

    /// The body of one language for an install.
    func expectedBody(variant: Int, badge installBadge: Int64?) -> JSONValue {
        let alert = JSONObject([
            .init(key: "title", value: .string(titles[variant])),
            .init(key: "body", value: .string(bodies[variant])),
        ])
        var aps = [JSONObject.Member(key: "alert", value: .object(alert))]
        if let badge = installBadge ?? badge {
            aps.append(.init(key: "badge", value: .number(.integer(badge))))
        }
        return .object(JSONObject([.init(key: "aps", value: .object(JSONObject(aps)))] + custom))
    }

    private func localized(_ texts: [String]) -> JSONValue {
        guard !languages.isEmpty else { return .string(texts[0]) }
        return .object(
            JSONObject(
                zip(languages, texts).map { .init(key: $0, value: .string($1)) }
            )
        )
    }

    private static func text(_ random: inout SeededRandom) -> String {
        let parts = [
            "a", "\"", "\\", "/", "\n", "\u{0}", "\u{1F}", "\u{7F}", "\u{2028}", "é", "e\u{301}",
            "🎉", "👨‍👩‍👧", "سلام", "訂單", " ",
        ]
        return (0..<Int.random(in: 0...12, using: &random)).map { _ in
            parts[Int.random(in: parts.indices, using: &random)]
        }.joined()
    }

    private static func value(_ random: inout SeededRandom, depth: Int) -> JSONValue {
        switch Int.random(in: 0...(depth > 0 ? 7 : 5), using: &random) {
        case 0: .null
        case 1: .bool(.random(using: &random))
        case 2: .number(.integer(Int64(bitPattern: random.next())))
        case 3: .number(.unsigned(random.next() | 1 << 63))
        // A fraction, so that the text that is sent reads back as a double.
        case 4: .number(.double(Double.random(in: 0.001...0.999, using: &random)))
        case 5: .string(text(&random))
        case 6:
            .array(
                (0..<Int.random(in: 0...3, using: &random)).map { _ in
                    value(&random, depth: depth - 1)
                }
            )
        default:
            .object(
                JSONObject(
                    (0..<Int.random(in: 0...3, using: &random)).map { index in
                        .init(
                            key: "\(index)" + text(&random),
                            value: value(&random, depth: depth - 1)
                        )
                    }
                )
            )
        }
    }
}

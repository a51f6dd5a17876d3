import FlatJSON

/// Counts answers by reason.
///
/// Touched by its loop alone. Unknown reasons count under their own text (contract 1.6); an answer
/// without one under its status. A target that thinks up a new reason each time gets no memory for it.
struct ReasonTally {
    /// Texts by number; number 0 stands for none.
    private var texts = [""]
    private var numbers: [String: UInt16] = [:]
    private var rejections = [0]
    private var retries = [0]

    /// Rejections by reason.
    var counts: [String: Int] { byText(rejections) }
    /// Pushes that went out again after an answer with the reason.
    var retryCounts: [String: Int] { byText(retries) }

    /// The number of a reason, or of a status where the answer gave none; above 0.
    mutating func number(of reason: String?, status: UInt16) -> UInt16 {
        var text = reason ?? "HTTP \(status)"
        if let known = numbers[text] { return known }
        if text.utf8.count > Self.longest {
            text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(Self.longest)))
        }
        if texts.count > Self.most { text = "other reasons" }
        if let known = numbers[text] { return known }
        let number = UInt16(texts.count)
        texts.append(text)
        numbers[text] = number
        rejections.append(0)
        retries.append(0)
        return number
    }

    /// The text of a number that this tally gave.
    func text(_ number: UInt16) -> String { texts[Int(number)] }

    /// Counts a rejection.
    mutating func countRejection(_ number: UInt16) { rejections[Int(number)] += 1 }

    /// Counts a push that goes out again.
    mutating func countRetry(_ number: UInt16) { retries[Int(number)] += 1 }

    private func byText(_ counts: [Int]) -> [String: Int] {
        var named: [String: Int] = [:]
        for (text, count) in zip(texts, counts) where count > 0 { named[text] = count }
        return named
    }

    /// Reasons that are told apart; APNs has 32.
    private static let most = 200
    /// Scalar values that are kept of one.
    private static let longest = 64
}

/// What the body of a refusal says (contract 1.6).
struct RefusalBody {
    /// The `reason`; nil where there is none.
    var reason: String?
    /// The `timestamp` of a 410, in milliseconds since 1970; nil where there is none.
    var timestamp: Int64?

    /// Reads the body of an answer; whatever it does not hold is nil.
    init(_ body: RawSpan) {
        guard let members = FlatJSON.members(of: body, named: ["reason", "timestamp"]) else {
            return
        }
        if case .string(let text) = members[0] { reason = text }
        if case .integer(let milliseconds) = members[1] { timestamp = milliseconds }
    }
}

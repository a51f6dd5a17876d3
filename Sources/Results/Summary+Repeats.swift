// The lines about what did not go as it should at first: they are there only where something did not.
extension Summary {
    static func repeatLines(_ run: RunRecord) -> [SummaryLine] {
        var lines: [SummaryLine] = []
        if let repeats = run.repeats {
            var parts: [String] = []
            if repeats.resent > 0 {
                parts.append("\(HumanFormat.count(repeats.resent)) resent unanswered")
            }
            if repeats.retried > 0 {
                parts.append("\(HumanFormat.count(repeats.retried)) retried")
            }
            let reasons = repeats.reasons.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
            parts += reasons.prefix(3).map { "\($0) \(HumanFormat.count($1))" }
            lines.append(SummaryLine(labelled("sent again", parts.joined(separator: " · "))))
        }
        if let count = run.badTokens, count > 0 {
            let text = count == 1 ? "1 token is bad" : "\(HumanFormat.count(count)) tokens are bad"
            lines.append(SummaryLine(labelled("tokens", "\(text): --rejected-out lists them")))
        }
        return lines + (run.renewals ?? []).prefix(2).map { renewalLine($0) }
    }

    private static func renewalLine(_ renewal: TokenRenewal) -> SummaryLine {
        var parts = ["after \(HumanFormat.duration(renewal.t))"]
        if let rate = renewal.pushesPerSecond, let usual = renewal.usualPushesPerSecond {
            parts.append("\(HumanFormat.rate(rate)) in that second")
            parts.append("\(HumanFormat.rate(usual)) around it")
        }
        if let dip = renewal.dip {
            let share = HumanFormat.percent(abs(dip))
            parts.append(dip > 0 ? "\(share) less" : "no dip")
        }
        return SummaryLine(labelled("new token", parts.joined(separator: " · ")))
    }
}

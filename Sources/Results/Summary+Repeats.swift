// What did not go as it should at first, or was done before the send: there only where it was.
extension Summary {
    /// What is worth a line of its own in some runs, and is not there in most.
    public struct Remark: Equatable, Sendable {
        /// What it is about, in a word or two.
        public let name: String
        /// What happened.
        public let text: String
    }

    /// What a run took over, prepared, sent again and renewed.
    ///
    /// - Parameter run: The run.
    /// - Returns: One remark a line, none where all went as it should at first.
    public static func remarks(of run: RunRecord) -> [Remark] {
        [run.continuation.map(remark), run.preparation.map(remark)].compactMap(\.self)
            + repeatRemarks(run) + (run.renewals ?? []).map(remark)
    }

    static func repeatLines(_ run: RunRecord) -> [SummaryLine] {
        let remarks = repeatRemarks(run) + (run.renewals ?? []).prefix(2).map(remark)
        return remarks.map { SummaryLine(labelled($0.name, $0.text)) }
    }

    private static func repeatRemarks(_ run: RunRecord) -> [Remark] {
        var remarks: [Remark] = []
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
            remarks.append(Remark(name: "sent again", text: parts.joined(separator: " · ")))
        }
        if let count = run.badTokens, count > 0 {
            let text = count == 1 ? "1 token is bad" : "\(HumanFormat.count(count)) tokens are bad"
            remarks.append(Remark(name: "tokens", text: "\(text): --rejected-out lists them"))
        }
        return remarks
    }

    static func remark(_ before: Continuation) -> Remark {
        var parts = [
            "before: \(HumanFormat.count(before.accepted)) accepted",
            "\(HumanFormat.count(before.rejected)) rejected",
            "\(HumanFormat.count(before.unknown)) unknown",
        ]
        if before.perhapsTwice != 0 {
            parts.append("perhaps sent twice: \(HumanFormat.count(before.perhapsTwice))")
        }
        return Remark(name: "continued", text: parts.joined(separator: " · "))
    }

    static func remark(_ preparation: Preparation) -> Remark {
        let send = preparation.elapsedWithSend &- preparation.elapsed
        let parts = [
            "\(HumanFormat.count(preparation.secrets)) secrets prepared in "
                + HumanFormat.duration(preparation.elapsed)
                + " (\(HumanFormat.duration(preparation.cpuNanosecondsPerPush)) CPU each)",
            "send \(HumanFormat.duration(send))",
            "together \(HumanFormat.duration(preparation.elapsedWithSend))",
        ]
        return Remark(name: "phases", text: parts.joined(separator: " · "))
    }

    private static func remark(_ renewal: TokenRenewal) -> Remark {
        var parts = ["after \(HumanFormat.duration(renewal.t))"]
        if let rate = renewal.pushesPerSecond, let usual = renewal.usualPushesPerSecond {
            parts.append("\(HumanFormat.rate(rate)) in that second")
            parts.append("\(HumanFormat.rate(usual)) around it")
        }
        if let dip = renewal.dip {
            let share = HumanFormat.percent(abs(dip))
            parts.append(dip > 0 ? "\(share) less" : "no dip")
        }
        return Remark(name: "new token", text: parts.joined(separator: " · "))
    }
}

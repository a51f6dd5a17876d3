import NetIO
import PushModel

// What the report says beside counts and times.
extension LoadRun {
    /// The bad tokens of all loops, each once.
    static func rejectedTokens(_ recorders: [LoopRecorder]) -> [RunReport.RejectedToken] {
        var found: [RunReport.RejectedToken] = recorders.flatMap { recorder in
            recorder.rejectedTokens.entries.map { entry in
                RunReport.RejectedToken(
                    install: entry.install,
                    reason: recorder.reasons.text(entry.reason),
                    timestamp: entry.timestamp >= 0 ? entry.timestamp : nil
                )
            }
        }
        found.sort { $0.install < $1.install }
        // Two loops may have pushed to the same install one after the other.
        var last = -1
        found.removeAll { token in
            defer { last = token.install }
            return token.install == last
        }
        return found
    }

    /// What each renewal of the provider token did to the throughput: the answers in its second beside
    /// the median of the whole seconds around it.
    static func renewals(
        at instants: [UInt64],
        _ series: [RunReport.SeriesPoint]
    ) -> [RunReport.Renewal] {
        // The last second is a part of one.
        let whole = series.dropLast()
        let renewed = Set(instants.map { Int($0 / 1_000_000_000) })
        return instants.map { instant in
            let second = Int(instant / 1_000_000_000)
            let around = whole.filter { point in
                abs(point.second - second) <= 3 && !renewed.contains(point.second)
            }
            let rates = around.map { $0.accepted + $0.rejected }.sorted()
            let own = whole.first { $0.second == second }
            return RunReport.Renewal(
                instant: instant,
                rate: own.map { $0.accepted + $0.rejected },
                usualRate: rates.isEmpty ? nil : rates[rates.count / 2]
            )
        }
    }
}

extension RunConfiguration {
    /// Where the pushes of an environment go; nil stands for all.
    func endpoint(for environment: APNsEnvironment?) -> Endpoint {
        if environment == .sandbox, let sandbox { return sandbox }
        return Endpoint(target: target, profile: profile, tls: tls)
    }
}

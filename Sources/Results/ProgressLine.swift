/// One moment of a run that is under way.
public struct RunProgress: Equatable, Sendable {
    /// Pushes answered so far.
    public var acknowledged: Int
    /// Pushes to answer in all; nil for a run by duration.
    public var total: Int?
    /// Pushes sent and not answered.
    public var inFlight: Int
    /// Answers per second, lately.
    public var pushesPerSecond: Double
    /// The 99th percentile of the response time lately, in nanoseconds; nil without answers.
    public var p99: Int64?
    /// What is left of a run by duration, in nanoseconds; nil leaves it to rate and total.
    public var remainingNanoseconds: Int64?

    /// Makes a moment.
    ///
    /// - Parameters:
    ///   - acknowledged: Pushes answered so far.
    ///   - total: Pushes to answer in all, if that is known.
    ///   - inFlight: Pushes sent and not answered.
    ///   - pushesPerSecond: Answers per second, lately.
    ///   - p99: The 99th percentile of the response time, lately.
    ///   - remainingNanoseconds: What is left of a run by duration.
    public init(
        acknowledged: Int,
        total: Int?,
        inFlight: Int,
        pushesPerSecond: Double,
        p99: Int64?,
        remainingNanoseconds: Int64? = nil
    ) {
        self.acknowledged = acknowledged
        self.total = total
        self.inFlight = inFlight
        self.pushesPerSecond = pushesPerSecond
        self.p99 = p99
        self.remainingNanoseconds = remainingNanoseconds
    }
}

/// The live line of a run.
public enum ProgressLine {
    /// Formats a moment in at most so many columns; what matters least is left out first.
    ///
    /// - Parameters:
    ///   - progress: The moment.
    ///   - columns: The width to keep, 80 as a rule.
    /// - Returns: One line without control characters.
    public static func text(_ progress: RunProgress, columns: Int = 80) -> String {
        // Each part with its rank: a higher one is left out sooner.
        var parts: [(text: String, rank: Int)] = [
            (HumanFormat.rate(progress.pushesPerSecond), 0)
        ]
        let acknowledged = HumanFormat.count(progress.acknowledged)
        if let total = progress.total {
            parts.append(("\(acknowledged) of \(HumanFormat.count(total))", 1))
            if total > 0 {
                let share = Double(progress.acknowledged) / Double(total)
                parts.append((HumanFormat.wholePercent(share), 4))
            }
        } else {
            parts.append(("\(acknowledged) acknowledged", 1))
        }
        parts.append(("\(HumanFormat.count(progress.inFlight)) in flight", 5))
        if let p99 = progress.p99 {
            parts.append(("p99 \(HumanFormat.duration(p99))", 2))
        }
        if let remaining = remaining(progress) {
            parts.append(("\(remaining) left", 3))
        }
        var line = joined(parts)
        while line.count > columns, parts.count > 1 {
            let least = parts.map(\.rank).max()
            parts.removeAll { $0.rank == least }
            line = joined(parts)
        }
        return String(line.prefix(max(columns, 0)))
    }

    private static func joined(_ parts: [(text: String, rank: Int)]) -> String {
        parts.map(\.text).joined(separator: " · ")
    }

    /// What is left, in whole seconds.
    private static func remaining(_ progress: RunProgress) -> String? {
        var nanoseconds = progress.remainingNanoseconds.map { Double($0) }
        if nanoseconds == nil, let total = progress.total, progress.pushesPerSecond > 0 {
            let left = Double(total) - Double(progress.acknowledged)
            nanoseconds = left / progress.pushesPerSecond * 1e9
        }
        guard let nanoseconds, nanoseconds.isFinite else {
            return nil
        }
        let seconds = max((nanoseconds / 1e9).rounded(.up), 0)
        return seconds < 60
            ? "\(Int(seconds)) s" : HumanFormat.duration(seconds * 1e9)
    }
}

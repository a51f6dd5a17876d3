/// What a metric's number counts.
public enum MetricUnit: Sendable {
    /// Nanoseconds.
    case duration
    /// A share, 0 to 1.
    case share
    /// A number per second.
    case perSecond
    /// Bytes.
    case bytes
    /// A plain number.
    case count

    /// The unit of stored values, for programs: `ns`, `1` for shares and plain numbers, `1/s`, `B`.
    public var symbol: String {
        switch self {
        case .duration: "ns"
        case .share, .count: "1"
        case .perSecond: "1/s"
        case .bytes: "B"
        }
    }

    /// The suffixes that stand for the unit in an objective, with what they multiply by.
    var suffixes: [(suffix: String, factor: Double)] {
        switch self {
        case .duration:
            [
                ("ns", 1), ("us", 1e3), ("\u{b5}s", 1e3), ("\u{3bc}s", 1e3), ("ms", 1e6),
                ("s", 1e9), ("m", 60e9),
            ]
        case .share: [("%", 0.01)]
        case .perSecond, .count: [("", 1)]
        case .bytes: [("B", 1), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9)]
        }
    }

    /// A value as people read it, in a unit that keeps it short.
    ///
    /// - Parameter value: The value in the unit's base.
    /// - Returns: For example `1.20 ms`.
    public func text(_ value: Double) -> String {
        switch self {
        case .duration: HumanFormat.duration(value)
        case .share: HumanFormat.percent(value)
        case .perSecond: HumanFormat.rate(value)
        case .bytes: HumanFormat.bytes(value)
        case .count: HumanFormat.significant(value)
        }
    }
}

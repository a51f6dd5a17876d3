/// What limited a run and whether its numbers count.
public struct Verdict: Codable, Equatable, Sendable {
    /// What limited it, for example `target` or `client CPU`; absent where that was not found.
    public var bottleneck: String?
    /// The observations behind ``bottleneck``, one sentence each.
    public var evidence: [String]
    /// False where pushbench itself was the bottleneck, so that the numbers say nothing of the
    /// target.
    public var valid: Bool
    /// The objectives that were asked for, in that order.
    public var slo: [SLOOutcome]

    /// Makes a verdict.
    ///
    /// - Parameters:
    ///   - bottleneck: What limited the run.
    ///   - evidence: The observations behind it.
    ///   - valid: Whether the numbers count.
    ///   - slo: The objectives' outcomes.
    public init(
        bottleneck: String? = nil,
        evidence: [String] = [],
        valid: Bool,
        slo: [SLOOutcome] = []
    ) {
        self.bottleneck = bottleneck
        self.evidence = evidence
        self.valid = valid
        self.slo = slo
    }
}

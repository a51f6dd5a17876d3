import LoadEngine
import Results

/// What kept a run from being faster, with the evidence.
struct Bottleneck {
    let name: String
    let evidence: String
    /// Whether the numbers say more of pushbench than of the target: an open loop that pushbench
    /// itself could not keep up with.
    let voidsTheRun: Bool
    /// The schedule's rate as an objective that was missed; nil where it was kept.
    let missedRate: SLOOutcome?

    /// A loop this busy is the limit.
    private static let busyShare = 0.9
    /// A loop that waits this long for rendering, encryption included, is limited by that.
    private static let renderWaitShare = 0.3
    /// An open loop keeps its schedule if it gets this far.
    private static let keptShare = 0.95

    /// Looks at a finished run; nil where nothing was a limit.
    init?(_ report: RunReport, _ record: RunRecord, load: LoadModel) {
        let busy = report.busiestLoop
        let waitsForRendering = report.renderWait >= Self.renderWaitShare
        let isBusy = busy >= Self.busyShare || waitsForRendering
        let percent = Int((busy * 100).rounded())
        guard case .openLoop(let rate, _) = load else {
            guard report.account.accepted > 0 else { return nil }
            name = isBusy ? "generator" : "target"
            evidence =
                waitsForRendering
                ? "event loops waited for rendering "
                    + "\(Int((report.renderWait * 100).rounded()))% of the time"
                : isBusy
                    ? "its busiest event loop used \(percent)% of a processor"
                    : "the busiest event loop was idle for \(100 - percent)% of the time"
            voidsTheRun = false
            missedRate = nil
            return
        }
        let achieved = record.throughput.pushesPerSecond
        guard achieved < rate * Self.keptShare, !report.wasInterrupted,
            report.sendNanoseconds > 1_000_000_000
        else { return nil }
        name = isBusy ? "generator" : "target"
        evidence =
            "asked for \(Int(rate)) pushes/s, answered \(Int(achieved)); the busiest event loop "
            + "used \(percent)% of a processor"
        voidsTheRun = isBusy
        missedRate = SLOOutcome(
            expression: "rate>=\(Int(rate * Self.keptShare)) (the schedule)",
            metric: "rate",
            limit: rate * Self.keptShare,
            actual: achieved,
            met: false
        )
    }
}

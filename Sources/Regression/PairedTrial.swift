public import Results

/// Two builds compared by interleaved pairs: one series, and a second one where the first alarms.
///
/// A regression is told only where both series, which share no run, find the same metric worse. Two
/// equal builds are called a regression with a probability of at most half of
/// ``PairedDesign/alpha``, squared: under 1 in 1,000 with the standard value.
public struct PairedTrial: Sendable {
    /// How each series is judged.
    public let design: PairedDesign
    /// The series so far: one, or two after an alarm.
    public private(set) var series: [PairedSeries]
    /// What each finished series said.
    public private(set) var verdicts: [[MetricComparison]] = []
    /// Whether nothing more is to be run.
    public private(set) var isOver = false

    /// Begins a trial.
    ///
    /// - Parameter design: How each series is judged.
    public init(_ design: PairedDesign) {
        self.design = design
        series = [PairedSeries(design)]
    }

    /// Whether an alarm is being repeated.
    public var isConfirming: Bool { series.count == 2 }

    /// Adds the runs of a pair, and ends the series or the trial where they give an answer.
    ///
    /// - Parameters:
    ///   - base: The records of the first build's run.
    ///   - new: Those of the second build.
    /// - Throws: ``RegressionError/noNumber(metric:)`` where a metric that decides is missing.
    public mutating func add(base: [RunRecord], new: [RunRecord]) throws(RegressionError) {
        guard !isOver else { return }
        try series[series.count - 1].add(base: base, new: new)
        look()
    }

    /// Adds the values of a pair, by metric name.
    mutating func add(_ pair: [String: (Double, Double)]) {
        guard !isOver else { return }
        series[series.count - 1].add(pair)
        look()
    }

    private mutating func look() {
        let current = series[series.count - 1]
        guard current.isAtLook else { return }
        let found = current.comparisons()
        let answers = found.filter(\.decides).map(\.answer)
        let isClear = answers.contains(.worse) || !answers.contains(.inconclusive)
        guard isClear || current.isComplete else { return }
        verdicts.append(found)
        if answers.contains(.worse), series.count == 1 {
            series.append(PairedSeries(design))
        } else {
            isOver = true
        }
    }

    /// The comparisons to show: of the first series with an answer, or of the pairs so far.
    public var comparisons: [MetricComparison] { verdicts.first ?? series[0].comparisons() }

    /// The metrics that both series call worse.
    public var confirmed: [Metric] {
        guard verdicts.count == 2 else { return [] }
        let names = verdicts.map { verdict in
            Set(verdict.filter { $0.decides && $0.answer == .worse }.map(\.metric.name))
        }
        return design.metrics.filter { names[0].contains($0.name) && names[1].contains($0.name) }
    }

    /// The answer: an alarm that was not repeated, or not yet, is inconclusive.
    public var answer: Answer {
        let first = Answer(all: comparisons.filter(\.decides).map(\.answer))
        guard first == .worse else { return first }
        return confirmed.isEmpty ? .inconclusive : .worse
    }
}

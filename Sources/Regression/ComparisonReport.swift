public import Results

/// All that is shown of a comparison, whatever the format.
public struct ComparisonReport: Sendable {
    /// One of the two sides.
    public struct Side: Equatable, Sendable {
        /// How the command line named it.
        public var name: String
        /// The builds that measured, one sentence each.
        public var builds: [String]
        /// The ids of the results; empty where they are not stored.
        public var results: [String]
        /// How many runs it has.
        public var runs: Int

        /// Describes a side.
        ///
        /// - Parameters:
        ///   - name: How the command line named it.
        ///   - builds: The builds that measured.
        ///   - results: The ids of the results.
        ///   - runs: How many runs it has.
        public init(name: String, builds: [String], results: [String], runs: Int) {
            self.name = name
            self.builds = builds
            self.results = results
            self.runs = runs
        }
    }

    /// What became of the runs of an interleaved trial.
    public struct Trial: Equatable, Encodable, Sendable {
        /// The pairs of each series: of one, or of two after an alarm.
        public var pairs: [Int]
        /// Pairs that do not count because a run was void.
        public var voidPairs: Int
        /// Runs that failed, of the base and of the new side.
        public var failedRuns: [Int]
        /// The metrics that both series call worse.
        public var confirmed: [String]
        /// Whether a signal ended it.
        public var interrupted: Bool

        /// Describes a trial's runs.
        ///
        /// - Parameters:
        ///   - pairs: The pairs of each series.
        ///   - voidPairs: Pairs that do not count because a run was void.
        ///   - failedRuns: Runs that failed, by side.
        ///   - confirmed: The metrics that both series call worse.
        ///   - interrupted: Whether a signal ended it.
        public init(
            pairs: [Int],
            voidPairs: Int,
            failedRuns: [Int],
            confirmed: [String],
            interrupted: Bool
        ) {
            self.pairs = pairs
            self.voidPairs = voidPairs
            self.failedRuns = failedRuns
            self.confirmed = confirmed
            self.interrupted = interrupted
        }
    }

    /// The command: `compare` or `ab`.
    public var command: String
    /// The workload that both sides ran.
    public var workload: Workload
    /// The key of the machine they ran on.
    public var machineKey: String
    /// The base.
    public var base: Side
    /// What is held against it.
    public var new: Side
    /// What a sample is: `run` or `pair`.
    public var unit: String
    /// The metrics, deciding ones first.
    public var metrics: [MetricComparison]
    /// The answer of the whole.
    public var answer: Answer
    /// The error rate of the whole.
    public var alpha: Double
    /// The error rate that the intervals are drawn for.
    public var intervalLevel: Double
    /// What else is to be known, one sentence each.
    public var notes: [String]
    /// What became of the runs, where they were made for this comparison.
    public var trial: Trial?

    /// Describes a comparison.
    ///
    /// - Parameters:
    ///   - command: `compare` or `ab`.
    ///   - workload: The workload that both sides ran.
    ///   - machineKey: The key of the machine.
    ///   - base: The base.
    ///   - new: What is held against it.
    ///   - unit: What a sample is.
    ///   - metrics: The metrics.
    ///   - answer: The answer of the whole.
    ///   - alpha: The error rate of the whole.
    ///   - intervalLevel: The error rate that the intervals are drawn for.
    ///   - notes: What else is to be known.
    ///   - trial: What became of the runs, where they were made for this comparison.
    public init(
        command: String,
        workload: Workload,
        machineKey: String,
        base: Side,
        new: Side,
        unit: String,
        metrics: [MetricComparison],
        answer: Answer,
        alpha: Double,
        intervalLevel: Double,
        notes: [String],
        trial: Trial? = nil
    ) {
        self.command = command
        self.workload = workload
        self.machineKey = machineKey
        self.base = base
        self.new = new
        self.unit = unit
        self.metrics = metrics
        self.answer = answer
        self.alpha = alpha
        self.intervalLevel = intervalLevel
        self.notes = notes
        self.trial = trial
    }

    /// The exit code that belongs to ``answer``.
    public var exitCode: ExitCode {
        switch answer {
        case .better, .same: .done
        case .worse: .regression
        case .inconclusive: .inconclusive
        }
    }

    /// The name under which trackers file the workload: the same for the same workload.
    var benchmarkName: String { "pushbench \(workload.dialect) \(workload.hash)" }

    /// What is measured, in a few words.
    var subject: String {
        let loop = workload.rate.map { "\(HumanFormat.rate($0)) offered" } ?? "closed loop"
        return ChangeText.printable(
            "\(workload.dialect) to \(HumanFormat.count(workload.installs)) installs, "
                + "\(workload.engine) engine, \(loop), workload \(workload.hash)"
        )
    }

    /// The whole's answer as a sentence, and what to do where the runs do not tell.
    var conclusion: [String] {
        func names(_ answer: Answer) -> String {
            metrics.filter { $0.decides && $0.answer == answer }.map(\.metric.name)
                .joined(separator: ", ")
        }
        switch answer {
        case .worse: return ["worse: \(names(.worse))"]
        case .better: return ["better: \(names(.better))"]
        case .same: return ["same: no change as large as the threshold"]
        case .inconclusive:
            let open = metrics.filter { $0.decides && $0.answer == .inconclusive }
            return [
                open.isEmpty
                    ? "inconclusive" : "inconclusive: \(names(.inconclusive))"
            ]
                + open.compactMap { item in
                    item.runsNeeded.map { count in
                        "\(item.metric.name) needs about \(count) \(unit)s"
                            + (unit == "run" ? " a side" : "")
                            + " to tell a change of \(ChangeText.share(item.threshold))"
                    }
                }
        }
    }
}

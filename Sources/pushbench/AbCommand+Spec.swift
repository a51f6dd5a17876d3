import Regression

extension AbCommand {
    static let spec = CommandSpec(
        name: "ab",
        summary: "Runs two builds in turn and says whether the second is worse.",
        positionals: ["[-- RUN FLAGS...]"],
        flags: [
            .init(name: "a", value: "BINARY", help: "The base, a pushbench."),
            .init(name: "b", value: "BINARY", help: "The build in question."),
            .init(
                name: "pairs",
                value: "N",
                help: "The longest series, in pairs of runs (default "
                    + "\(PairedDesign.standardPairs)); a clear answer ends it early."
            ),
            .init(
                name: "metric",
                value: "NAME",
                help: "A metric that decides (default cpu and rate).",
                isRepeatable: true
            ),
            .init(
                name: "threshold",
                value: "[NAME=]P%",
                help: "The change that matters, of all metrics or of one (default cpu=1.5%, others "
                    + "10%).",
                isRepeatable: true
            ),
            .init(
                name: "seed",
                value: "S",
                help: "Seed of the order within pairs (default 1)."
            ),
            .init(
                name: "run-timeout",
                value: "T",
                help: "A run that takes longer has failed (default: 60s, and twice what its flags "
                    + "ask for, a closed loop being taken for 1000 pushes a second; less once "
                    + "runs have ended: ten times the longest of them, at least 60s)."
            ),
            .init(name: "quiet", value: nil, help: "No progress line."),
        ] + ComparisonFormat.flags,
        notes: """
            What stands behind -- are flags of run, the same for both builds. A short run makes a
            cheap pair: -- --installs 20000 --pushes 200000.

            Each pair runs both builds once, the order drawn by the seed. The series is looked at
            after 10, 15, 22, 33, ... pairs by Wilcoxon's signed-rank test, its error rate of 5%
            spent on the looks in equal parts. An alarm counts only where a second series, of other
            runs, repeats it: equal builds are called worse in fewer than 1 of 1,000 trials.
            Void runs drop their pair and are counted; a build that fails three times ends it.

            exit codes: 0 same or better, 1 a build does not run, 2 usage, 3 no such binary or
            invalid input data, 5 worse, 6 inconclusive, 130 interrupted, with the verdict so far
            """
    )
}

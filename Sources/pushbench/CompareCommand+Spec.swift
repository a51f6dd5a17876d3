extension CompareCommand {
    static let spec = CommandSpec(
        name: "compare",
        summary: "Says whether stored results are better, the same or worse than others.",
        positionals: ["[BASE]", "NEW"],
        flags: [
            .init(
                name: "baseline",
                value: "WHICH",
                help:
                    "Instead of BASE: latest, 'median-of N' (the runs of the last N results), or a "
                    + "file. The first two take stored results of NEW's machine and workload."
            ),
            .init(
                name: "metric",
                value: "NAME",
                help: "A metric that decides (default rate, p99, errors and cpu).",
                isRepeatable: true
            ),
            .init(
                name: "threshold",
                value: "[NAME=]P%",
                help: "The change that matters, of all metrics or of one (default 5%).",
                isRepeatable: true
            ),
            .init(
                name: "alpha",
                value: "A",
                help: "The chance of a false better or worse, all deciding metrics together "
                    + "(default 0.01)."
            ),
            .init(name: "seed", value: "S", help: "Seed of the bootstrap (default 1)."),
            .init(
                name: "allow-different-machine",
                value: nil,
                help: "Compare results of unlike machines all the same."
            ),
            .init(
                name: "store",
                value: "DIR",
                help: "The folder of stored results (default results)."
            ),
        ] + ComparisonFormat.flags,
        notes: """
            BASE and NEW are each a result file, several with commas between them, a folder of
            them, or the id of a stored result. The sample is the run: what `run --repeat N`
            measured counts N. Several results a side tell what results of the machine differ
            by, and the interval allows for it; of one it is assumed from the runs.

            worse (better): the rank test is significant, the whole interval lies on that side,
            and it reaches the threshold. same: the interval lies within the threshold, and a
            change of that size would have been seen. Else inconclusive.

            exit codes: 0 same or better, 2 usage, 3 unreadable or not comparable, 5 worse,
            6 inconclusive
            """
    )
}

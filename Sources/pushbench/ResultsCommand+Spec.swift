extension ResultsCommand {
    private static let filters: [CommandSpec.Flag] = [
        .init(name: "workload", value: "HASH", help: "Only this workload: the start of its hash."),
        .init(name: "machine", value: "KEY", help: "Only machines whose key begins so."),
        .init(name: "last", value: "N", help: "Only the N newest of them."),
        .init(
            name: "store",
            value: "DIR",
            help: "The folder of stored results (default results)."
        ),
    ]

    private static let out = CommandSpec.Flag(
        name: "out",
        value: "FILE",
        help: "Write there, whole or not at all; - is stdout."
    )

    private static let json = CommandSpec.Flag(
        name: "json",
        value: nil,
        help: "Print one JSON document."
    )

    private static let skipped = """
        A file that is damaged, or of another version's format, is named on stderr and left out.
        """

    static let listSpec = CommandSpec(
        name: "results list",
        summary: "Lists stored results, oldest first.",
        flags: filters + [json],
        notes: skipped
    )

    static let showSpec = CommandSpec(
        name: "results show",
        summary: "Prints the summary of a stored result, and what it was measured on.",
        positionals: ["[RESULT]"],
        flags: filters + [json],
        notes: """
            RESULT is an id, the start of one, or a file; without it the newest is shown.
            \(skipped)
            """
    )

    static let trendSpec = CommandSpec(
        name: "results trend",
        summary: "Draws the history of a workload on a machine, with the points where it changed.",
        flags: filters + [
            .init(
                name: "metric",
                value: "NAME",
                help: "A metric to draw (default rate, p99 and cpu).",
                isRepeatable: true
            ),
            .init(
                name: "threshold",
                value: "P%",
                help: "The least change of the median that is told (default 2%)."
            ),
            .init(name: "seed", value: "S", help: "Seed of the shuffles (default 1)."),
            json,
        ],
        notes: """
            Without --machine and --workload: the newest result's. Change points are cuts in a
            cumulative sum of ranks that at most 1 of 100 shuffled histories has as clear.
            \(skipped)
            """
    )

    static let exportSpec = CommandSpec(
        name: "results export",
        summary: "Writes stored results as a table, one row for each run.",
        flags: filters + [
            .init(name: "format", value: "F", help: "csv (default) or ndjson (JSON lines)."), out,
        ],
        notes: skipped
    )
}

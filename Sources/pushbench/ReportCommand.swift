import Foundation
import Regression
import Report
import Results

/// `pushbench report`: a page to look at.
enum ReportCommand {
    static let spec = CommandSpec(
        name: "report",
        summary: "Writes a self-contained HTML page about one result, or two beside each other.",
        positionals: ["RESULT", "[RESULT2]"],
        flags: [
            .init(
                name: "out",
                value: "FILE.html",
                help: "Write the page there; - is stdout (default: beside RESULT, ending in .html)."
            ),
            .init(
                name: "plots",
                value: "FILE.js|none",
                help:
                    "D3, which draws the plots (default: that of Debian's package libjs-d3); none "
                    + "leaves them out."
            ),
            .init(
                name: "history",
                value: nil,
                help:
                    "Show how rate, p99 and cpu went in the stored results of RESULT's machine and "
                    + "workload, with the points where they changed."
            ),
            .init(
                name: "store",
                value: "DIR",
                help: "The folder of stored results (default results)."
            ),
            .init(
                name: "json",
                value: nil,
                help: "Print file, bytes and plot library as JSON instead of a sentence."
            ),
        ],
        notes: """
            The page asks the network for nothing. Its plots need D3, which is put into it when it is
            written; without D3 it has all tables. A result may be - for standard input.
            """
    )

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let paths = arguments.positionals
        guard let first = paths.first else {
            throw UsageError("report needs a result: give a file that pushbench run wrote.")
        }
        guard paths != ["-", "-"] else {
            throw UsageError("Both results are standard input: give a file for one of them.")
        }
        try StandardOutput.check(arguments, claimants: ["out"])
        let output = arguments["out"] ?? defaultOutput(paths)
        for path in paths where InputFile.isSame(path, output) {
            throw UsageError("--out \(output) is the result itself: give another name.")
        }
        if arguments.has("store"), !arguments.has("history") {
            throw UsageError("--store is for --history: give both, or neither.")
        }
        let results = try paths.map(load)
        let plots = try PlotLibraryFile.find(arguments["plots"])
        let report = Report(
            results[0],
            name: name(first),
            beside: results.count > 1 ? (results[1], name(paths[1])) : nil,
            history: arguments.has("history")
                ? history(of: results[0], in: try ResultPlace.chosenStore(arguments)) : []
        )
        let page = Array(try report.html(plots: plots, nonce: nonce()).utf8)
        if plots == nil, arguments["plots"] != "none" {
            Terminal.complain(
                "pushbench: D3 was not found, so the page has tables and no plots: install Debian's "
                    + "package \(PlotLibrary.package), or give --plots FILE.js."
            )
        }
        guard !Terminal.isStandardOutput(output) else {
            Terminal.write(page)
            return .done
        }
        do {
            try AtomicFile.write(page, to: output)
        } catch {
            throw CommandFault(
                .runFailed,
                "Cannot write the page \(output): \(error.reason); \(error.mend)."
            )
        }
        if arguments.has("json") {
            let outcome = Outcome(file: output, bytes: page.count, plots: plots?.path)
            Terminal.print(try ReadableJSON.encode(outcome))
        } else {
            Terminal.print("The page is \(output)")
        }
        return .done
    }

    /// What `--json` prints.
    private struct Outcome: Encodable {
        let file: String
        let bytes: Int
        let plots: String?
    }

    /// The stored results that can be compared with one, and that one itself.
    private static func history(of result: ResultFile, in store: ResultStore) -> [Trend] {
        let (machine, workload) = (result.machine.key, result.workload.hash)
        let files = ResultPlace.paths(store.files(machine: machine, workload: workload))
        let reading = ResultStore.read(files)
        for fault in reading.faults { Terminal.complain("pushbench: \(fault)") }
        // A key may begin with another one.
        var results = reading.results.filter {
            $0.machine.key == machine && $0.workload.hash == workload
        }
        if !results.contains(where: { $0.id == result.id }) { results.append(result) }
        return Trend.standardMetrics.map { Trend($0, of: results) }
    }

    private static func load(_ path: String) throws -> ResultFile {
        do {
            guard path == "-" else {
                try InputFile.awaitContent(path, what: "result")
                return try ResultFile.load(path)
            }
            let bytes = try InputFile.bytes(path, what: "result")
            return try ResultFile(decoding: Data(bytes), name: "on standard input")
        } catch let error as ResultError {
            throw CommandFault(.invalidInput, error.description)
        }
    }

    /// The name of a file without its folders.
    private static func name(_ path: String) -> String {
        path == "-" ? "standard input" : URL(fileURLWithPath: path).lastPathComponent
    }

    /// `a.html`, or for two `a-vs-b.html`, in the folder of the first; of standard input stdout.
    private static func defaultOutput(_ paths: [String]) -> String {
        guard let first = paths.first, first != "-" else { return "-" }
        func stem(_ path: String) -> String {
            path.hasSuffix(".json") ? String(path.dropLast(5)) : path
        }
        guard paths.count > 1 else { return stem(first) + ".html" }
        return stem(first) + "-vs-" + stem(paths[1] == "-" ? "stdin" : name(paths[1])) + ".html"
    }

    /// A word that no result can foresee.
    private static func nonce() -> String {
        (0..<2).map { _ in String(UInt64.random(in: 0...UInt64.max), radix: 36) }.joined()
    }
}

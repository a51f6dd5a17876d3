import Foundation
import Regression
import Results

/// The results of one side of a comparison.
struct ResultSide {
    /// How the command line named it.
    let name: String
    /// Those that take part, at least one.
    private(set) var results: [ResultFile] = []

    /// The runs of each result.
    var runs: [[RunRecord]] { results.map(\.runs) }

    /// The side as a report tells it.
    var described: ComparisonReport.Side {
        var builds: [String] = []
        for result in results {
            let text = result.build.described
            if !builds.contains(text) { builds.append(text) }
        }
        return ComparisonReport.Side(
            name: name,
            builds: builds,
            results: results.map(\.id),
            runs: runs.reduce(0) { $0 + $1.count }
        )
    }

    /// Reads what `text` names: a file, files with commas between them, a folder, or a stored id.
    ///
    /// - Throws: A ``CommandFault`` with exit code 3 where nothing of it can be compared.
    init(_ text: String, store: ResultStore, parts: ResultParts) throws(CommandFault) {
        name = text
        try take(try Self.paths(text, store: store), parts)
        guard !results.isEmpty else {
            throw CommandFault(.invalidInput, "\(text) has no result that can be compared.")
        }
    }

    /// Reads the newest stored results that are older than another side.
    ///
    /// - Throws: A ``CommandFault`` with exit code 3 where there are none.
    init(
        last count: Int,
        before new: ResultSide,
        store: ResultStore,
        parts: ResultParts
    ) throws(CommandFault) {
        name = count == 1 ? "latest" : "median-of \(count)"
        let example = new.results[0]
        let ids = Set(new.results.map(\.id))
        let start = new.results.map(\.startedAt).min() ?? example.startedAt
        let reading = ResultStore.readLast(
            count,
            of: ResultPlace.paths(
                store.files(machine: example.machine.key, workload: example.workload.hash)
            ),
            parts: parts
        ) { result in
            result.machine.key == example.machine.key && !ids.contains(result.id)
                && result.startedAt <= start && result.isComparable
        }
        for fault in reading.faults { Terminal.complain("pushbench: \(fault)") }
        results = reading.results
        guard !results.isEmpty else {
            throw CommandFault(
                .invalidInput,
                "There is no older result of \(example.machine.key) and workload "
                    + "\(example.workload.hash) below \(store.root): store one with run --save."
            )
        }
        if results.count < count {
            Terminal.complain(
                "pushbench: --baseline \(name): only \(results.count) stored, all are taken."
            )
        }
    }

    private mutating func take(
        _ paths: [String],
        _ parts: ResultParts
    ) throws(CommandFault) {
        for path in paths {
            try InputFile.awaitContent(path, what: "result")
            do {
                let result = try ResultFile.load(path, parts: parts)
                if let exclusion = result.exclusion {
                    Terminal.complain("pushbench: \(path) is not compared: \(exclusion).")
                } else if results.contains(where: { $0.id == result.id }) {
                    Terminal.complain("pushbench: \(path) comes twice: it counts once.")
                } else {
                    results.append(result)
                }
            } catch {
                Terminal.complain("pushbench: \(error)")
            }
        }
    }

    private static func paths(
        _ text: String,
        store: ResultStore
    ) throws(CommandFault) -> [String] {
        if let found = existing(text) { return found }
        let parts = text.split(separator: ",").map(String.init)
        guard !parts.isEmpty else {
            throw CommandFault(.invalidInput, "A side is empty: give a file, a folder or an id.")
        }
        var paths: [String] = []
        for part in parts {
            if let found = existing(part) {
                paths += found
                continue
            }
            let found = ResultPlace.paths(store.files(withID: part))
            guard !found.isEmpty else {
                throw CommandFault(
                    .invalidInput,
                    "\(part) is no file, no folder and no id of a result below \(store.root)."
                )
            }
            guard found.count == 1 else {
                throw CommandFault(
                    .invalidInput,
                    "\(part) begins the ids of \(found.count) results below \(store.root): give "
                        + "more of it."
                )
            }
            paths += found
        }
        return paths
    }

    /// A file, or the results in a folder; nil where there is neither.
    ///
    /// What is there and cannot be looked at passes for a file: reading it tells why.
    private static func existing(_ path: String) -> [String]? {
        guard ResultPlace.isThere(path) else { return nil }
        guard ResultPlace.isFolder(path) ?? false else { return [path] }
        do {
            return try ResultStore.names(in: path).filter { $0.hasSuffix(".json") }.map {
                "\(path)/\($0)"
            }
        } catch {
            Terminal.complain("pushbench: \(error)")
            return []
        }
    }
}

extension Build {
    /// The build in a few words: commit, whether changed, version and kind.
    var described: String {
        let source = commit.map { "commit \($0.prefix(12))" } ?? "version \(version)"
        return Terminal.printable(
            source + (dirty == true ? " and changes" : "") + ", " + flags.joined(separator: " ")
        )
    }
}

import Foundation
import Regression
import Results

/// `pushbench results`: what is stored.
enum ResultsCommand {
    // MARK: - list

    private struct ListEntry: Encodable {
        let id: String
        let path: String
        let startedAt: String
        let machine: String
        let workload: String
        let runs: Int
        let complete: Bool
        let valid: Bool
        let commit: String?
        let values: [String: Double]
    }

    static func list(_ arguments: Arguments) throws -> ExitCode {
        let reading = try Selection(arguments).reading()
        let columns = ["rate", "p99", "cpu"].compactMap(Metric.named)
        if arguments.has("json") {
            let entries = zip(reading.results, reading.paths).map { result, path in
                var values: [String: Double] = [:]
                for metric in Metric.table { values[metric.name] = result.median(of: metric) }
                return ListEntry(
                    id: result.id,
                    path: path,
                    startedAt: result.startedAt.formatted(.iso8601),
                    machine: result.machine.key,
                    workload: result.workload.hash,
                    runs: result.runs.count,
                    complete: result.complete,
                    valid: result.verdict.valid,
                    commit: result.build.commit,
                    values: values
                )
            }
            Terminal.print(try ReadableJSON.encode(entries))
            return .done
        }
        guard !reading.results.isEmpty else {
            Terminal.complain("No results: store one with pushbench run --save.")
            return .done
        }
        let heads = ["id", "runs", "rate", "p99", "cpu", "workload", "commit", "note"]
        var group = ""
        // Files may hold any text.
        var rows = [heads]
        for result in reading.results {
            let values = columns.map { metric in
                result.median(of: metric).map(metric.unit.text) ?? "-"
            }
            let commit = result.build.commit.map { String($0.prefix(12)) } ?? "-"
            let note =
                result.isComparable ? "" : result.complete ? "not valid" : "partial"
            var row = [result.id, "\(result.runs.count)"]
            row += values
            row += [result.workload.hash, commit, note]
            rows.append(row)
        }
        let widths = heads.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        for (index, row) in rows.enumerated() {
            let machine = index == 0 ? "" : reading.results[index - 1].machine.key
            if machine != group {
                group = machine
                Terminal.print(Terminal.printable(machine))
            }
            let cells = heads.indices.map { column in
                let gap = String(repeating: " ", count: widths[column] - row[column].count)
                return (1...4).contains(column) ? gap + row[column] : row[column] + gap
            }
            let line = cells.joined(separator: "  ").trimmingCharacters(in: .whitespaces)
            Terminal.print("  " + Terminal.printable(line))
        }
        return .done
    }

    // MARK: - show

    static func show(_ arguments: Arguments) throws -> ExitCode {
        let result = try shown(arguments)
        if arguments.has("json") {
            Terminal.write([UInt8](try result.encoded()))
            return .done
        }
        Terminal.print(
            Summary.text(of: result, isTerminal: Terminal.hasColours),
            terminator: ""
        )
        let machine = result.machine
        let environment = [
            machine.cpu, "\(machine.cores) cores",
            HumanFormat.bytes(Double(machine.memoryBytes)), machine.os, "kernel \(machine.kernel)",
            machine.governor.map { "governor \($0)" },
            machine.cgroupCPUs.map { "limited to \(HumanFormat.significant($0)) CPUs" },
            machine.steal.map { "\(HumanFormat.percent($0)) stolen" },
        ].compactMap(\.self)
        let settings = (result.workload.settings ?? [:]).sorted { $0.key < $1.key }
            .map { "\($0.key) \($0.value)" }
        for (label, text) in [
            ("id", result.id), ("started", result.startedAt.formatted(.iso8601)),
            ("build", result.build.described + ", Swift \(result.build.swift)"),
            ("machine", machine.key), ("", environment.joined(separator: " · ")),
            ("workload", result.workload.hash), ("", settings.joined(separator: " · ")),
        ] where !text.isEmpty {
            let gap = String(repeating: " ", count: 12 - label.count)
            Terminal.print("  " + label + gap + Terminal.printable(text))
        }
        return .done
    }

    private static func shown(_ arguments: Arguments) throws -> ResultFile {
        guard let name = arguments.positionals.first else {
            let selection = try Selection(arguments)
            let reading = ResultStore.readLast(1, of: selection.files, parts: .all)
            for fault in reading.faults { Terminal.complain("pushbench: \(fault)") }
            guard let result = reading.results.last else {
                throw CommandFault(
                    .invalidInput,
                    "There is no readable result below \(selection.store.root): store one with "
                        + "pushbench run --save."
                )
            }
            return result
        }
        var path = name
        guard !name.isEmpty else {
            throw UsageError("RESULT is empty: give an id or a file, or leave it out.")
        }
        if !ResultPlace.isThere(name) {
            let store = try ResultPlace.chosenStore(arguments)
            let found = ResultPlace.paths(store.files(withID: name))
            guard found.count == 1 else {
                throw CommandFault(
                    .invalidInput,
                    found.isEmpty
                        ? "\(name) is no file and no id of a result below \(store.root)."
                        : "\(name) begins the ids of \(found.count) results: give more of it."
                )
            }
            path = found[0]
        }
        try InputFile.awaitContent(path, what: "result")
        do {
            return try ResultFile.load(path)
        } catch {
            throw CommandFault(.invalidInput, error.description)
        }
    }
}

/// The stored results that filters leave.
struct Selection {
    let store: ResultStore
    let files: [String]
    private let last: Int?

    /// Looks up the files; reads none.
    ///
    /// A folder that cannot be read is named on stderr.
    ///
    /// - Throws: A ``UsageError``, or a ``CommandFault`` of a named store that is none.
    init(_ arguments: Arguments) throws {
        last = try arguments.integer("last", in: 1...Int.max)
        store = try ResultPlace.chosenStore(arguments)
        files = ResultPlace.paths(
            store.files(machine: arguments["machine"], workload: arguments["workload"])
        )
    }

    /// Reads them; a file that cannot be read is named on stderr and left out.
    func reading(parts: ResultParts = .numbers) -> ResultStore.Reading {
        reading(files, parts: parts)
    }

    /// The same for some of the files.
    func reading(_ files: [String], parts: ResultParts) -> ResultStore.Reading {
        let reading =
            last.map { ResultStore.readLast($0, of: files, parts: parts) }
            ?? ResultStore.read(files, parts: parts)
        for fault in reading.faults { Terminal.complain("pushbench: \(fault)") }
        return reading
    }
}

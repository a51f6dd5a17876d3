import Foundation
public import Results

/// Stored results as a table for other programs: one row for each run.
///
/// Values are in the metrics' base units; what was not measured is empty.
public enum ResultTable {
    private struct Row: Encodable {
        let id: String
        let run: Int
        let startedAt: String
        let complete: Bool
        let valid: Bool
        let machine: String
        let workload: String
        let version: String
        let commit: String?
        let dialect: String
        let engine: String
        let installs: Int
        let mode: String
        let metrics: [String: Double]
    }

    private static func rows(_ results: [ResultFile]) -> [Row] {
        results.flatMap { result in
            result.runs.enumerated().map { index, run in
                var metrics: [String: Double] = [:]
                for metric in Metric.table {
                    metrics[metric.name] = metric.value(run).flatMap { $0.isFinite ? $0 : nil }
                }
                return Row(
                    id: result.id,
                    run: index + 1,
                    startedAt: result.startedAt.formatted(.iso8601),
                    complete: result.complete,
                    valid: result.verdict.valid,
                    machine: result.machine.key,
                    workload: result.workload.hash,
                    version: result.build.version,
                    commit: result.build.commit,
                    dialect: result.workload.dialect,
                    engine: result.workload.engine,
                    installs: result.workload.installs,
                    mode: result.workload.mode,
                    metrics: metrics
                )
            }
        }
    }

    /// The table as CSV with a header line (RFC 4180, lines ended by LF).
    ///
    /// - Parameter results: Results, in the order of the rows.
    /// - Returns: The text; the header line alone for no results.
    public static func csv(_ results: [ResultFile]) -> String {
        let names = Metric.table.map(\.name)
        var lines = [
            [
                "id", "run", "startedAt", "complete", "valid", "machine", "workload", "version",
                "commit", "dialect", "engine", "installs", "mode",
            ] + names
        ]
        for row in rows(results) {
            lines.append(
                [
                    row.id, "\(row.run)", row.startedAt, "\(row.complete)", "\(row.valid)",
                    row.machine, row.workload, row.version, row.commit ?? "", row.dialect,
                    row.engine, "\(row.installs)", row.mode,
                ] + names.map { name in row.metrics[name].map { "\($0)" } ?? "" }
            )
        }
        return lines.map { $0.map(quoted).joined(separator: ",") + "\n" }.joined()
    }

    /// The table as JSON lines: one object a row, its numbers in the member `metrics`.
    ///
    /// - Parameter results: Results, in the order of the rows.
    /// - Returns: The text; empty for no results.
    /// - Throws: What the encoder throws.
    public static func jsonLines(_ results: [ResultFile]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return try rows(results).map { row in
            String(decoding: try encoder.encode(row), as: UTF8.self) + "\n"
        }.joined()
    }

    /// A field, quoted where it has to be.
    ///
    /// A file may hold any text, and a spreadsheet takes what begins like a formula for one.
    private static func quoted(_ text: String) -> String {
        let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
        let plain = isFormula && Double(text) == nil ? "'" + text : text
        guard plain.contains(where: { "\",\n\r\r\n".contains($0) }) else { return plain }
        return "\"" + plain.replacing("\"", with: "\"\"") + "\""
    }
}

extension ResultFile {
    /// The median of a metric over the runs.
    ///
    /// - Parameter metric: The metric.
    /// - Returns: Nil where no run has it.
    public func median(of metric: Metric) -> Double? {
        let values = runs.compactMap(metric.value).filter(\.isFinite)
        return values.isEmpty ? nil : Sorting.median(values)
    }
}

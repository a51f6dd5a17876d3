import Foundation
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

@testable import Regression
@testable import Results

/// Every format of a comparison, read by something that did not write it.
@Suite struct ReportTests {
    private func report(
        _ factor: Double,
        runs: Int = 10,
        name: String = "base.json",
        notes: [String] = []
    ) throws -> ComparisonReport {
        let base = try Records.runs(runs, seed: 1)
        let new = try Records.runs(runs, around: factor, seed: 2)
        let comparison = try Comparison(base: base, new: new)
        func side(_ name: String) -> ComparisonReport.Side {
            .init(name: name, builds: ["commit abc, release"], results: ["id"], runs: runs)
        }
        return ComparisonReport(
            command: "compare",
            workload: Records.result(base).workload,
            machineKey: "cpu-2c-4g-debian-12",
            base: side(name),
            new: side("new.json"),
            unit: "run",
            metrics: comparison.metrics,
            answer: comparison.answer,
            alpha: 0.01,
            intervalLevel: 0.01,
            notes: notes
        )
    }

    /// What an XML document holds, by element names and attributes.
    private final class Reader: NSObject, XMLParserDelegate {
        var elements: [(name: String, attributes: [String: String])] = []

        func parser(
            _ parser: XMLParser,
            didStartElement name: String,
            namespaceURI: String?,
            qualifiedName: String?,
            attributes: [String: String]
        ) {
            elements.append((name, attributes))
        }

        func all(_ name: String) -> [[String: String]] {
            elements.filter { $0.name == name }.map(\.attributes)
        }
    }

    private func read(_ xml: String) -> Reader? {
        let parser = XMLParser(data: Data(xml.utf8))
        let reader = Reader()
        parser.delegate = reader
        return parser.parse() ? reader : nil
    }

    @Test(arguments: [(1.2, 10, 3, 0), (1, 10, 0, 0), (1.2, 4, 0, 4), (1 / 1.2, 10, 0, 0)])
    func junitIsXMLInWhichWorseHasFailedAndInconclusiveIsSkipped(
        factor: Double,
        runs: Int,
        failures: Int,
        skipped: Int
    ) throws {
        let hostile = "a<b>&\"'\u{1}\u{1B}[31m\n]]>"
        let report = try report(factor, runs: runs, name: hostile, notes: [hostile])
        let reader = try #require(read(report.junit()))
        #expect(reader.elements.map(\.name).prefix(2) == ["testsuites", "testsuite"])
        #expect(reader.all("testcase").count == 4)
        #expect(Set(reader.all("testcase").map { $0["name"] }) == ["rate", "p99", "errors", "cpu"])
        #expect(reader.all("testcase").allSatisfy { $0["classname"]?.isEmpty == false })
        // Errors are so few that they swing: failed or not, the numbers agree.
        let failed = reader.all("failure").count
        #expect(failed >= failures && reader.all("skipped").count >= skipped)
        for element in reader.all("testsuites") + reader.all("testsuite") {
            #expect(element["tests"] == "4" && element["errors"] == "0")
            #expect(element["failures"] == "\(failed)")
            #expect(element["skipped"] == "\(reader.all("skipped").count)")
        }
    }

    private func json(_ text: String) throws -> Any {
        try JSONSerialization.jsonObject(with: Data(text.utf8))
    }

    @Test func bencherFormatHasOneMeasureAMetricWithItsEnds() throws {
        let report = try report(1)
        let document = try #require(
            try json(report.bencherMetricFormat()) as? [String: [String: [String: Double]]]
        )
        let measures = try #require(document["pushbench xulo \(report.workload.hash)"])
        #expect(document.count == 1)
        #expect(Set(measures.keys) == Set(report.metrics.map(\.metric.name)))
        for (name, measure) in measures {
            #expect(Set(measure.keys) == ["value", "lower_value", "upper_value"], "\(name)")
            let (low, high) = (measure["lower_value"] ?? .nan, measure["upper_value"] ?? .nan)
            #expect(low <= measure["value"] ?? .nan && measure["value"] ?? .nan <= high)
        }
    }

    @Test func gitHubArraysHoldEachMetricOnceByItsDirection() throws {
        let report = try report(1)
        var names: [String] = []
        for smaller in [true, false] {
            let entries = try #require(
                try json(report.gitHubBenchmark(smallerIsBetter: smaller)) as? [[String: Any]]
            )
            for entry in entries {
                #expect(Set(entry.keys) == ["name", "unit", "value", "range", "extra"])
                #expect(entry["value"] is Double || entry["value"] is Int)
                names.append(entry["name"] as? String ?? "")
            }
            #expect(
                entries.contains { ($0["name"] as? String)?.hasSuffix(" rate") == true } != smaller
            )
        }
        #expect(names.count == report.metrics.count && Set(names).count == names.count)
    }

    @Test func jsonSaysAllThatTheTableSays() throws {
        let report = try report(1.2)
        let document = try #require(try json(report.json()) as? [String: Any])
        #expect(document["schema"] as? String == "pushbench.comparison/1")
        #expect(document["answer"] as? String == "worse")
        #expect(document["exitCode"] as? Int == 5)
        #expect(document["correction"] as? String == "holm")
        let metrics = try #require(document["metrics"] as? [[String: Any]])
        #expect(metrics.count == report.metrics.count)
        let cpu = try #require(metrics.first { $0["metric"] as? String == "cpu" })
        #expect((cpu["baseRuns"] as? [Double])?.count == 10)
        #expect(cpu["minimumDetectableEffect"] is Double)
        #expect(cpu["threshold"] as? Double == 0.05)
    }

    @Test func tableAndMarkdownTellTheAnswerAndWhatCouldBeSeen() throws {
        let worse = try report(1.2)
        let table = worse.table(isTerminal: false)
        #expect(table.contains("worse: ") && !table.contains("\u{1B}"))
        #expect(worse.table(isTerminal: true).contains("\u{1B}[1;31m"))
        for word in ["metric", "detectable", "threshold", "for information", "base.json"] {
            #expect(table.contains(word), "\(word)")
        }
        let few = try report(1, runs: 4)
        #expect(few.table(isTerminal: false).contains("cpu needs about 6 runs a side"))
        #expect(few.exitCode == .inconclusive && worse.exitCode == .regression)
        let markdown = try report(1.2, name: "a|b<script>*").markdown()
        #expect(markdown.contains("**worse**") && markdown.contains("a\\|b\\<script\\>\\*"))
        let rows = markdown.split(separator: "\n").filter { $0.hasPrefix("|") }
        #expect(Set(rows.map { $0.count { $0 == "|" } }) == [10])
    }

    @Test(arguments: [
        (1.052, "+5.2%"), (0.9987, "-0.13%"), (1, "+0.00%"), (12.4, "x12"), (.infinity, "from 0"),
        (2.5, "+150%"), (0, "-100%"),
    ])
    func changesReadWell(ratio: Double, text: String) {
        #expect(ChangeText.change(ratio) == text)
    }
}

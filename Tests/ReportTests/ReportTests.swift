import Foundation
import Results
import Testing

@testable import Report

@Suite struct ReportTests {
    private static let library = PlotLibrary(path: "/d3.js", bytes: Array("var d3 = {};".utf8))

    private func page(_ report: Report, plots: PlotLibrary? = nil) throws -> String {
        try report.html(plots: plots, nonce: "n0nce")
    }

    @Test func everyPartIsThereWithItsHeading() throws {
        let page = try page(Report(try Samples.result(), name: "a.json"), plots: Self.library)
        for anchor in [
            "summary", "latency", "time", "makespan", "cost", "account", "connections", "verdict",
            "environment",
        ] {
            #expect(page.contains("<section id=\"\(anchor)\" aria-labelledby=\"\(anchor)-title\">"))
            #expect(page.contains("<a href=\"#\(anchor)\">"))
        }
        #expect(!page.contains("id=\"repetitions\""))
        for text in [
            "<b>1.00 k/s</b>", "BadDeviceToken", "<b>99%</b>", "× 1.31", "poisson", "AMD EPYC",
            "0123abc", "GOAWAY", "2026-01-31 23:59:58 UTC",
        ] { #expect(page.contains(text), "\(text)") }
    }

    @Test func thePageAsksTheNetworkForNothing() throws {
        let page = try page(Report(try Samples.result(), name: "a.json"), plots: Self.library)
        #expect(page.contains("content=\"default-src &#39;none&#39;; script-src"))
        for part in ["http:", "https:", " src=", "url(", "@import", "<base", "<iframe", "<form"] {
            #expect(!page.contains(part), "\(part)")
        }
    }

    /// Whatever a result says, the page has the elements that we wrote, and no other.
    @Test(arguments: [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' onload='alert(1)",
        "</script><script>alert(1)</script>", "<!--<script>", "]]>", "&lt;b&gt;",
        "\u{202e}evil\u{0}",
    ])
    func stringsOfAResultAreNeverMarkup(text: String) throws {
        let plain = try page(
            Report(try Samples.result("x"), name: "x", beside: (try Samples.result("x"), "x")),
            plots: Self.library
        )
        let result = try Samples.result(text)
        let page = try page(Report(result, name: text, beside: (result, text)), plots: Self.library)
        #expect(page.split(separator: "<").count == plain.split(separator: "<").count)
        #expect(page.split(separator: ">").count == plain.split(separator: ">").count)
        #expect(page.split(separator: "\"").count == plain.split(separator: "\"").count)
        #expect(!page.contains("\u{202e}"))
        #expect(!page.unicodeScalars.contains("\u{0}"))
    }

    @Test func withoutTheLibraryTheTablesStayAndThePackageIsNamed() throws {
        let report = Report(try Samples.result(), name: "a.json")
        let without = try page(report)
        #expect(without.contains("<code>libjs-d3</code>"))
        #expect(try !page(report, plots: Self.library).contains("libjs-d3"))
        for caption in [
            "Latency by percentile", "Over time",
            "Time until a share of the audience was acknowledged", "Cost per push", "Account",
        ] { #expect(without.contains(">\(caption)</caption>")) }
    }

    @Test func ofTwoResultsEveryMetricIsShownWithItsChange() throws {
        let slower = try Samples.result(runs: [Samples.run(pushesPerSecond: 500)])
        let page = try page(
            Report(try Samples.result(), name: "a.json", beside: (slower, "b.json"))
        )
        #expect(page.contains("<td>1.00 k/s</td><td>500 /s</td><td>−50.0%</td>"))
        #expect(page.contains("<td>2.50 ms</td><td>2.50 ms</td><td>±0%</td>"))
        #expect(!page.contains("do not take a difference"))
    }

    @Test func anotherWorkloadIsSaidAndWhatDiffersIsMarked() throws {
        let other = try Samples.result(connections: 2)
        let page = try page(Report(try Samples.result(), name: "a.json", beside: (other, "b.json")))
        #expect(page.contains("B is of another workload"))
        #expect(page.contains("<td><mark>1</mark></td><td><mark>2</mark></td>"))
        #expect(!page.contains("<mark>AMD EPYC</mark>"))
    }

    @Test func whatMostRunsHaveNothingOfIsRemarked() throws {
        var run = try Samples.run()
        #expect(!(try page(Report(try Samples.result(runs: [run]), name: "a"))).contains("Remarks"))
        run.renewals = [
            TokenRenewal(t: 3_200_000_000, pushesPerSecond: 24, usualPushesPerSecond: 30)
        ]
        run.repeats = Repeats(resent: 7, retried: 0, reasons: [:])
        run.makespan?.p100 = nil
        let other = try Samples.result(runs: [run])
        let page = try page(Report(try Samples.result(), name: "a", beside: (other, "b")))
        #expect(page.contains("<th scope=\"row\">new token</th><td>–</td><td>after 3.20 s"))
        #expect(page.contains("7 resent unanswered"))
        #expect(page.contains("<b>never</b><small>not every install was answered</small>"))
    }

    @Test func remarksOfTwoResultsOnOneThingStandBesideEachOtherAndManyAreCounted() throws {
        let renewals = (1...60).map {
            TokenRenewal(t: $0 * 1_000_000_000, pushesPerSecond: 24, usualPushesPerSecond: 30)
        }
        var (few, many) = (try Samples.run(), try Samples.run())
        few.renewals = Array(renewals.prefix(1))
        many.renewals = renewals
        let page = try page(
            Report(
                try Samples.result(runs: [few]),
                name: "a",
                beside: (try Samples.result(runs: [many]), "b")
            )
        )
        #expect(page.contains("<th scope=\"row\">new token</th><td>after 1.00 s"))
        #expect(page.components(separatedBy: ">new token</th>").count == 51)
        #expect(page.contains("<th scope=\"row\">and more</th><td>–</td><td>10</td>"))
    }

    @Test func theMedianRepetitionIsShownAndAllAreListed() throws {
        let runs = try [300, 100, 200].map { try Samples.run(pushesPerSecond: $0) }
        let page = try page(Report(try Samples.result(runs: runs), name: "a.json"))
        #expect(page.contains("<b>200 /s</b>"))
        #expect(page.contains("<th scope=\"row\">3 <small>shown</small></th><td>200 /s</td>"))
    }

    @Test func aResultWithoutRunsSaysSo() throws {
        let page = try page(Report(try Samples.result(runs: [], complete: false), name: "a.json"))
        #expect(page.contains("Nothing was measured."))
        #expect(page.contains("<span class=\"badge bad\">partial</span>"))
    }

    @Test(arguments: [
        (Verdict(valid: true), "valid"),
        (Verdict(valid: false), "void"),
        (
            Verdict(
                valid: true,
                slo: [.init(expression: "a", metric: "p99", limit: 1, actual: nil, met: false)]
            ),
            "1 objective missed"
        ),
    ])
    func theBadgeSaysTheVerdict(verdict: Verdict, text: String) throws {
        let page = try page(Report(try Samples.result(verdict: verdict), name: "a.json"))
        #expect(page.contains(">\(text)</span>"))
    }

    /// A damaged file may hold any number: the page may be nonsense, the program must not trap.
    @Test(arguments: [Int.min, -1, 0, Int.max])
    func anyNumberMakesAPage(number: Int) throws {
        var run = try Samples.run()
        run.account = Account(
            audience: number,
            accepted: number,
            rejected: ["a": number, "b": number],
            unknown: number,
            neverSent: number,
            duplicates: number
        )
        let wide = Int64(number)
        run.series = (0..<700).map { _ in
            SeriesPoint(
                t: wide,
                sent: number,
                accepted: number,
                rejected: number,
                p50: wide,
                p99: wide,
                inFlight: number
            )
        }
        run.makespan?.curve = [wide, 0, wide]
        run.makespan?.p50 = wide
        run.makespan?.p100 = wide
        run.latency.response?.hdr = "damaged"
        run.latency.response?.count = wide
        run.latency.response?.max = wide
        run.cost.stages["render"]?.limitNanosecondsPerPush = Double(number) * 1e300
        run.connections = [ConnectionRecord(opened: wide, pushes: number)]
        let page = try page(Report(try Samples.result(runs: [run]), name: "a.json"))
        #expect(page.hasSuffix("</html>\n"))
    }

    @Test(
        arguments: [
            (100.0, 112.0, "+12.0%"), (100, 88, "−12.0%"), (100, 100.01, "±0%"), (1, 25, "× 25.0"),
            (0, 5, nil), (nil, 5, nil), (5, nil, nil),
        ] as [(Double?, Double?, String?)]
    )
    func changeIsAPercentageWithItsSign(old: Double?, new: Double?, expected: String?) {
        #expect(Report.change(old, new) == expected)
    }
}

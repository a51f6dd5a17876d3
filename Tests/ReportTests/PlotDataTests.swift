import Foundation
import HDRHistogram
import Regression
import Results
import Testing

@testable import Report

@Suite struct PlotDataTests {
    @Test func percentileCurveAgreesWithTheHistogram() throws {
        let histogram = Samples.histogram(count: 50_000, step: 1_000)
        let summary = try #require(try LatencySummary(histogram))
        let points = PercentileCurve.points(summary)
        #expect(points.first == [1, Double(histogram.min)])
        #expect(points.last == [50_000, Double(histogram.max)])
        #expect(points.count < 300)
        for point in points.dropFirst().dropLast() {
            let percentile = 100 * (1 - 1 / point[0])
            let exact = Double(histogram.value(atPercentile: percentile))
            #expect(abs(point[1] - exact) <= exact * 0.002, "at \(percentile)")
        }
        #expect(points.map { $0[0] } == points.map { $0[0] }.sorted())
    }

    @Test func ofADamagedHistogramTheNamedPercentilesAreLeft() throws {
        var summary = try #require(try LatencySummary(Samples.histogram(count: 500, step: 10)))
        summary.hdr = "?"
        let points = PercentileCurve.points(summary)
        #expect(points.map { $0[0] } == [1, 2, 10, 100])
        #expect(points[3][1] == Double(summary.p99))
    }

    @Test func aHistoryHasItsValuesAndTheMediansBetweenChanges() throws {
        let results = try (0..<20).map { day in
            var result = try Samples.result(
                runs: [Samples.run(pushesPerSecond: (day < 10 ? 1_000 : 1_500) + day)]
            )
            result.id = "r\(day < 10 ? "0" : "")\(day)"
            return result
        }
        let rate = try #require(Metric.named("rate"))
        let plot = HistoryPlot(Trend(rate, of: results))
        #expect(plot.unit == "1/s" && plot.days.count == 20)
        #expect(plot.lines.map(\.name) == ["result", "median between changes"])
        #expect(
            plot.lines[0].points.first == [0, 1_000] && plot.lines[0].points.last == [19, 1_519]
        )
        #expect(
            plot.lines[1].points == [[0, 1_004.5], [10, 1_004.5], [10, 1_514.5], [19, 1_514.5]]
        )
        let short = HistoryPlot(Trend(rate, of: Array(results.prefix(3))))
        #expect(short.lines.map(\.name) == ["result"])
    }

    @Test func oneTimeAloneIsACurve() throws {
        let summary = try #require(try LatencySummary(Samples.histogram(count: 1, step: 5_000)))
        #expect(PercentileCurve.points(summary).map { $0[0] } == [1, 1])
    }

    @Test func aClosedLoopHasOneLineForResponseAndService() throws {
        let summary = try LatencySummary(Samples.histogram(count: 10, step: 10))
        let closed = Latency(response: summary, service: summary, lateness: nil)
        #expect(LatencyRow.rows(of: closed).map(\.name) == ["response = service"])
        let open = try Samples.run().latency
        #expect(LatencyRow.rows(of: open).map(\.name) == ["response", "service", "lateness"])
    }

    @Test func aDayOfSecondsBecomesFewPointsWithTheWorstOfThem() {
        let day = (1...86_400).map { second in
            SeriesPoint(
                t: Int64(second) * 1_000_000_000,
                sent: 10,
                accepted: 9,
                rejected: 1,
                p50: 5,
                p99: second == 40_000 ? 777 : 7,
                inFlight: 0
            )
        }
        let points = SeriesReduction.points(day)
        #expect(points.count <= SeriesReduction.mostPoints)
        #expect(points.reduce(0) { $0 + $1.accepted } == 86_400 * 9)
        #expect(points.compactMap(\.serviceP99).max() == 777)
        #expect(points.allSatisfy { abs($0.answeredPerSecond - 10) < 1e-9 })
        #expect(points.last?.end == 86_400e9)
    }

    @Test func aShortSeriesIsKeptSecondBySecond() throws {
        let points = SeriesReduction.points(try Samples.run().series)
        #expect(points.map(\.end) == [1e9, 2e9, 3e9])
        #expect(points.map(\.answeredPerSecond) == [333, 333, 333])
        #expect(SeriesReduction.points([]).isEmpty)
    }

    @Test func responseTimesAreShownWhereTheyAreKept() throws {
        func lines(_ response: Int64?, _ service: Int64?) throws -> [String] {
            var run = try Samples.run()
            for index in run.series.indices {
                run.series[index].responseP50 = response.map { $0 / 2 }
                run.series[index].responseP99 = response
                run.series[index].p50 = service.map { $0 / 2 }
                run.series[index].p99 = service
            }
            let side = ReportSide(
                letter: "A",
                name: "a",
                result: try Samples.result(runs: [run])
            )
            let lines = PlotData([side]).time
            #expect(lines.first?.points.first == (response ?? service).map { [1e9, Double($0)] })
            return lines.map(\.name)
        }
        let response = ["response p99", "response p50"]
        #expect(try lines(9_000, 4_000) == response + ["service p99"])
        #expect(try lines(4_000, 4_000) == response)
        #expect(try lines(nil, 4_000) == ["service p99", "service p50"], "an older result")
        #expect(try lines(nil, nil).isEmpty)
    }

    @Test func numbersThatCannotBeWrittenAreToldAndNotLeftOut() {
        struct Refusing: Encodable {
            func encode(to encoder: any Encoder) throws { throw CancellationError() }
        }
        let fault = #expect(throws: ReportError.self) { try PlotData.json(Refusing()) }
        #expect(fault?.description.contains("CancellationError") == true)
    }

    @Test func makespanHasAPointForEveryPercent() throws {
        var run = try Samples.run()
        let points = MakespanCurve.points(of: run)
        #expect(points.count == 102 && points.first == [0, 0])
        #expect(points[50] == [Double(try #require(run.makespan?.p50)), 0.5])
        #expect(points[100][1] == 0.999 && points[101][1] == 1)
        #expect(points.map { $0[1] } == points.map { $0[1] }.sorted())
        #expect(points.map { $0[0] } == points.map { $0[0] }.sorted())
        // What was never reached is not drawn.
        let answers = Samples.histogram(count: 400, step: 3_000_000)
        run.makespan = Makespan(answers, audience: 1_000)
        #expect(MakespanCurve.points(of: run).last == [Double(answers.max), 0.4])
    }

    @Test func makespanOfAnOlderResultNeverFalls() throws {
        var run = try Samples.run()
        run.makespan?.curve = nil
        let points = MakespanCurve.points(of: run)
        #expect(points.first == [0, 0])
        #expect(points.last?[1] == 1)
        #expect(points.map { $0[1] } == points.map { $0[1] }.sorted())
        #expect(points.map { $0[0] } == points.map { $0[0] }.sorted())
        #expect(points.contains { $0[0] == 1e9 && $0[1] == 0.333 })
    }

    @Test func dataIsJSONWithOurWordsAlone() throws {
        let side = ReportSide(letter: "A", name: "<x>", result: try Samples.result("<y>"))
        let json = try PlotData.json(PlotData([side]))
        #expect(!json.contains("<"))
        let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(
            object?.keys.sorted() == ["history", "isPair", "latency", "makespan", "rate", "time"]
        )
    }
}

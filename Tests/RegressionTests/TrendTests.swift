import Foundation
import PushModel
import Testing

@testable import Regression
@testable import Results

/// Change points and how they are drawn.
@Suite struct TrendTests {
    private func history(_ levels: [(Int, Double)], seed: UInt64, spread: Double = 0.01) -> [Double]
    {
        var random = SplitMix64(seed: seed)
        return levels.flatMap { count, level in
            (0..<count).map { _ in
                // Now and then a wild one.
                let isWild = Int.random(in: 0..<15, using: &random) == 0
                let size = isWild ? 10 * spread : spread
                return level * exp(Double.random(in: -size...size, using: &random))
            }
        }
    }

    @Test func historyWithoutAChangeSeldomHasAChangePoint() {
        let search = ChangePointSearch()
        let found = (0..<300).count { seed in
            !search.changePoints(in: history([(40, 100)], seed: seed, spread: 0.1)).isEmpty
        }
        // One in a hundred is stated; nine or more of 300 would come by chance once in 250 times.
        #expect(found <= 8, "\(found) of 300")
    }

    @Test func stepsAreFoundWhereTheyAre() throws {
        for seed in 0..<20 as Range<UInt64> {
            let values = history([(30, 100), (25, 105), (30, 95)], seed: seed)
            let points = ChangePointSearch().changePoints(in: values)
            #expect(points.count == 2, "\(seed): \(points)")
            guard points.count == 2 else { continue }
            #expect(abs(points[0].index - 30) <= 4 && abs(points[1].index - 55) <= 4)
            #expect(abs(points[0].ratio - 1.05) < 0.01 && points[0].pValue <= 0.01)
        }
    }

    @Test func wildValuesSmallStepsAndShortHistoriesMakeNone() {
        var values = history([(60, 100)], seed: 5)
        values[30] = 1_000
        values[31] = 1_000
        #expect(ChangePointSearch().changePoints(in: values) == [])
        let small = history([(40, 100), (40, 101)], seed: 6, spread: 0.002)
        #expect(ChangePointSearch().changePoints(in: small) == [])
        var search = ChangePointSearch()
        search.threshold = 0.005
        #expect(search.changePoints(in: small).count == 1)
        for count in 0..<8 {
            #expect(search.changePoints(in: (0..<count).map { $0 < 4 ? 1 : 2 }) == [])
        }
        #expect(search.changePoints(in: [Double](repeating: 3, count: 50)) == [])
    }

    @Test func sameSeedFindsTheSame() {
        let values = history([(20, 100), (20, 102.5)], seed: 9, spread: 0.02)
        var search = ChangePointSearch()
        let first = search.changePoints(in: values)
        #expect(search.changePoints(in: values) == first)
        search.seed = 2
        #expect(search.changePoints(in: values).map(\.index) == first.map(\.index))
    }

    private func trend(_ name: String = "cpu", step: Double = 1.1, count: Int = 20) throws -> Trend
    {
        let results = try (0..<count).map { day in
            let factor = day < count / 2 ? 1 : step
            return Records.result(
                try Records.runs(3, around: factor, seed: UInt64(day)),
                day: day,
                commit: "c\(day)"
            )
        }
        return Trend(try #require(Metric.named(name)), of: results.reversed())
    }

    @Test func trendIsOrderedAndKnowsWhatIsBetter() throws {
        let cpu = try trend()
        #expect(cpu.points.map(\.commit) == (0..<20).map { "c\($0)" })
        #expect(cpu.points.allSatisfy { $0.runs == 3 })
        let change = try #require(cpu.changePoints.first)
        #expect(change.index == 10 && !cpu.isImprovement(change))
        let rate = try trend("rate")
        #expect(!rate.isImprovement(try #require(rate.changePoints.first)))
        let faster = try trend("rate", step: 0.9)
        #expect(faster.isImprovement(try #require(faster.changePoints.first)))
    }

    @Test func partsAndVoidResultsAreNoPoints() throws {
        let metric = try #require(Metric.named("cpu"))
        var partial = Records.result(try Records.runs(2, seed: 1))
        partial.complete = false
        let void = Records.result(try Records.runs(2, seed: 1), isValid: false)
        var lost = Records.result(try Records.runs(2, seed: 1))
        lost.runs[0].account.accepted -= 1
        var rest = Records.result(try Records.runs(2, seed: 1))
        rest.runs[1].continuation = Continuation(
            accepted: 1,
            rejected: 0,
            unknown: 0,
            perhapsTwice: 0
        )
        #expect(Trend(metric, of: [partial, void, lost, rest]).points == [])
        for result in [partial, void, lost, rest] { #expect(result.exclusion != nil) }
    }

    @Test(arguments: [20, 30, 40, 80, 200])
    func plotFitsItsWidthAndIsPlainWithoutATerminal(width: Int) throws {
        let trend = try trend(count: 50)
        let text = TrendPlot(width: width, isTerminal: false).text(trend)
        let lines = text.split(separator: "\n")
        #expect(text.unicodeScalars.allSatisfy { $0.isASCII || $0 == "\u{B5}" })
        let plot = lines.filter { $0.contains("|") }
        #expect(plot.count == 10)
        #expect(plot.allSatisfy { $0.count <= max(width, 30) })
        #expect(plot.contains { $0.contains("*") } && plot.contains { $0.contains(":") })
        #expect(text.contains("worse +10") && text.contains("commit c25"))
        let terminal = TrendPlot(width: width, isTerminal: true).text(trend)
        #expect(terminal.contains("\u{1B}[1;31m") && terminal.contains("\u{25CF}"))
    }

    @Test func plotOfNothingAndOfOnePointIsNoFault() throws {
        let metric = try #require(Metric.named("cpu"))
        let plot = TrendPlot(width: 80, isTerminal: false)
        #expect(plot.text(Trend(metric, of: [])).contains("no result has it"))
        let one = Trend(metric, of: [Records.result([try Records.run()])])
        #expect(plot.text(one).contains("*"))
    }

    @Test func tableQuotesWhatASpreadsheetWouldTakeForMore() throws {
        var result = Records.result([try Records.run(), try Records.run(1.1)])
        result.build.commit = "=a,\"b\"\nc"
        let csv = ResultTable.csv([result])
        #expect(csv.contains("\"'=a,\"\"b\"\"\nc\""))
        #expect(csv.hasPrefix("id,run,startedAt,complete,valid,machine,workload,"))
        let lines = try ResultTable.jsonLines([result]).split(separator: "\n")
        #expect(lines.count == 2)
        for line in lines {
            #expect(try JSONSerialization.jsonObject(with: Data(line.utf8)) is [String: Any])
        }
        #expect(ResultTable.csv([]).split(separator: "\n").count == 1)
    }
}

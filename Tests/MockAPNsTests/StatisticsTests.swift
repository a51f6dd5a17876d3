import Foundation
import PushModel
import Testing

@testable import MockAPNs

/// Counting by several loops, merging, reset and the JSON text.
@Suite struct StatisticsTests {
    private func object(_ counts: MockCounts) throws -> [String: Any] {
        try #require(
            try JSONSerialization.jsonObject(with: Data(counts.json.utf8)) as? [String: Any]
        )
    }

    @Test func addsUpTheLoops() throws {
        let statistics = MockStatistics(loops: 3, reasons: ReasonTable())
        for (index, block) in statistics.blocks.enumerated() {
            block.add(.requests, UInt64(index + 1))
            block.addRefusal(ReasonCode(.badTopic))
        }
        statistics.blocks[1].addRefusal(.payloadInvalidJSON)
        let counts = statistics.counts()
        #expect(counts.requests == 6)
        #expect(counts.refused == 4)
        #expect(counts.refusals(named: "BadTopic") == 3)
        #expect(counts.refusals(named: "PayloadInvalidJSON") == 1)
        #expect(counts.refusals(named: "BadPath") == 0)
        #expect(counts.loops == 3)
        #expect(counts.peakRSSBytes > 1 << 20)
    }

    @Test func writesEveryCounterAsJSON() throws {
        let statistics = MockStatistics(loops: 1, reasons: ReasonTable())
        for (index, counter) in Counter.allCases.enumerated() {
            statistics.blocks[0].add(counter, UInt64(index + 1))
        }
        statistics.blocks[0].addRefusal(ReasonCode(.unregistered))
        let json = try object(statistics.counts())
        #expect(json["schema"] as? String == "pushbench.mock/1")
        for (index, counter) in Counter.allCases.enumerated() {
            #expect(json[counter.name] as? Int == index + 1)
        }
        #expect(json["refused"] as? Int == 1)
        #expect(json["refusals"] as? [String: Int] == ["Unregistered": 1])
    }

    @Test func beginsAgainAtZeroAfterAReset() {
        let statistics = MockStatistics(loops: 2, reasons: ReasonTable())
        statistics.blocks[0].add(.accepted, 5)
        statistics.blocks[1].addRefusal(ReasonCode(.badTopic))
        statistics.reset()
        #expect(statistics.counts().accepted == 0)
        #expect(statistics.counts().refusals.isEmpty)
        statistics.blocks[1].add(.accepted, 2)
        statistics.blocks[0].addRefusal(ReasonCode(.badTopic))
        #expect(statistics.counts().accepted == 2)
        #expect(statistics.counts().refusals == [.init(reason: "BadTopic", count: 1)])
    }

    @Test func knowsTheOpenConnectionsAfterAReset() {
        let statistics = MockStatistics(loops: 2, reasons: ReasonTable())
        statistics.blocks[0].add(.connectionsOpened, 5)
        statistics.blocks[1].add(.connectionsClosed, 2)
        #expect(statistics.counts().connectionsOpen == 3)
        statistics.reset()
        #expect(statistics.counts().connectionsOpen == 3)
        #expect(statistics.counts().connectionsOpened == 0)
        statistics.blocks[0].add(.connectionsClosed, 3)
        #expect(statistics.counts().connectionsOpen == 0)
    }

    @Test func keepsTheProcessorTimeOfAThreadThatEnded() {
        let statistics = MockStatistics(loops: 1, reasons: ReasonTable())
        let hasEnded = DispatchSemaphore(value: 0)
        Thread {
            statistics.blocks[0].threadTime.threadDidStart()
            while statistics.counts().cpuNanoseconds < 2_000_000 {}
            statistics.blocks[0].threadTime.threadWillEnd()
            hasEnded.signal()
        }.start()
        hasEnded.wait()
        #expect(statistics.counts().cpuNanoseconds >= 2_000_000)
    }

    @Test func escapesNamesInJSON() throws {
        var reasons = ReasonTable()
        let added = reasons.add(name: "a\"\\\n\u{1}ş", status: 400)
        let odd = try #require(added)
        let statistics = MockStatistics(loops: 1, reasons: reasons)
        statistics.blocks[0].addRefusal(odd)
        #expect(
            try object(statistics.counts())["refusals"] as? [String: Int] == ["a\"\\\n\u{1}ş": 1]
        )
    }
}

import NetIO
import Testing

@Suite struct MonotonicInstantTests {
    @Test func neverRunsBackwards() {
        var last = MonotonicInstant.now()
        for _ in 0..<1000 {
            let next = MonotonicInstant.now()
            #expect(next >= last)
            last = next
        }
        #expect(last.nanoseconds > 0)
    }

    @Test func countsAndSaturates() {
        let early = MonotonicInstant(nanoseconds: 1000)
        let late = early.advanced(by: 500)
        #expect(late == MonotonicInstant(nanoseconds: 1500))
        #expect(late.nanoseconds(since: early) == 500)
        #expect(early.nanoseconds(since: late) == 0)
        #expect(early.nanoseconds(since: early) == 0)
        #expect(late.advanced(by: .max).nanoseconds == .max)
        #expect(early < late)
    }
}

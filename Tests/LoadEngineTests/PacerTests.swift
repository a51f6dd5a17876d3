import Testing

@testable import LoadEngine

@Suite struct PacerTests {
    @Test func constantArrivalsAreEvenAndDoNotDrift() {
        var pacer = Pacer(rate: 3, arrivals: .constant, seed: 1, loop: 0, loops: 1)
        let due = (0..<3_000_001).map { _ in pacer.next() }
        #expect(due[0] == 0)
        #expect(due[1] == 333_333_333)
        // A million seconds at 3 a second: rounding has not added up.
        #expect(due[3_000_000] == 1_000_000_000_000_000)
    }

    @Test(arguments: [1.0, 7, 10_000, 333_333], [1, 2, 3, 8])
    func loopsInterleaveToTheWholeRate(rate: Double, loops: Int) {
        let perLoop = 300
        var due: [UInt64] = []
        for loop in 0..<loops {
            var pacer = Pacer(rate: rate, arrivals: .constant, seed: 1, loop: loop, loops: loops)
            for _ in 0..<perLoop { due.append(pacer.next()) }
        }
        due.sort()
        for (position, instant) in due.enumerated() {
            let exact = Double(position) * 1e9 / rate
            #expect(abs(Double(instant) - exact) <= 2)
        }
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func poissonGapsHaveTheMeanAndTheSpreadOfAnExponential(seed: UInt64) {
        let rate = 1000.0
        let count = 200_000
        var pacer = Pacer(rate: rate, arrivals: .poisson, seed: seed, loop: 0, loops: 1)
        var last: UInt64 = 0
        var sum = 0.0
        var squares = 0.0
        var overMean = 0
        for _ in 0..<count {
            let due = pacer.next()
            #expect(due >= last)
            let gap = Double(due - last) / 1e9
            last = due
            sum += gap
            squares += gap * gap
            overMean += gap > 1 / rate ? 1 : 0
        }
        let mean = sum / Double(count)
        let deviation = (squares / Double(count) - mean * mean).squareRoot()
        // Five standard errors of each estimate.
        #expect(abs(mean * rate - 1) < 5 / Double(count).squareRoot())
        #expect(abs(deviation * rate - 1) < 5 * 2.0.squareRoot() / Double(count).squareRoot())
        #expect(abs(Double(overMean) / Double(count) - 0.367879) < 0.006)
    }

    @Test func theSameSeedGivesTheSameArrivalsAndLoopsDiffer() {
        func first(_ seed: UInt64, _ loop: Int) -> [UInt64] {
            var pacer = Pacer(rate: 10, arrivals: .poisson, seed: seed, loop: loop, loops: 2)
            return (0..<10).map { _ in pacer.next() }
        }
        #expect(first(1, 0) == first(1, 0))
        #expect(first(1, 0) != first(1, 1))
        #expect(first(1, 0) != first(2, 0))
    }
}

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

    @Test(arguments: [0.5, 3, 999.9, 12_345, 100_000], [LoadModel.Arrivals.constant, .poisson])
    func countIsWhatNextWouldGive(rate: Double, arrivals: LoadModel.Arrivals) {
        for (loops, seed) in [(1, 1), (3, 2), (2, 3)] as [(Int, UInt64)] {
            for loop in 0..<loops {
                for end in [0, 1, 999_999, 500_000_000, 1_000_000_007] as [UInt64] {
                    var pacer = Pacer(
                        rate: rate,
                        arrivals: arrivals,
                        seed: seed,
                        loop: loop,
                        loops: loops
                    )
                    // From the start, and from somewhere in the middle.
                    for _ in 0..<2 {
                        let counted = pacer.count(before: end)
                        var walker = pacer
                        var walked = 0
                        while walker.next() < end { walked += 1 }
                        #expect(counted == walked)
                        for _ in 0..<(walked / 2) { _ = pacer.next() }
                    }
                }
            }
        }
    }

    @Test func countOfAnHourAtAnyRateTakesNoTime() {
        let hour: UInt64 = 3_600_000_000_000
        let constant = Pacer(rate: 1e9, arrivals: .constant, seed: 1, loop: 0, loops: 1)
        #expect(constant.count(before: hour) == 3_600_000_000_000)
        let poisson = Pacer(rate: 1e9, arrivals: .poisson, seed: 1, loop: 0, loops: 1)
        #expect(abs(Double(poisson.count(before: hour)) / 3.6e12 - 1) < 1e-4)
    }

    @Test(arguments: [1e-300, 1e-9, 0.001, 1e9, 1e300], [LoadModel.Arrivals.constant, .poisson])
    func rateBeyondSenseStillGivesTimesThatDoNotDecrease(
        rate: Double,
        arrivals: LoadModel.Arrivals
    ) {
        var pacer = Pacer(rate: rate, arrivals: arrivals, seed: 1, loop: 1, loops: 2)
        var last: UInt64 = 0
        for _ in 0..<1000 {
            let due = pacer.next()
            #expect(due >= last && due <= 1_000_000_000_000_000_000)
            last = due
        }
        #expect(pacer.count(before: 1_000_000_000) >= 0)
    }
}

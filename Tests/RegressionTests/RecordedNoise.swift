import PushModel

/// CPU time per push of 150 short runs of one build, in turn, on two cores that others were busy on:
/// the logarithm less its median, in thousandths.
enum RecordedNoise {
    static let thousandths = [
        288, 67, 212, -123, 83, 121, -21, 18, -125, 21, -29, 144, 196, 212, 79,
        -19, 168, 42, 10, 11, 263, 63, -53, -132, -89, 124, -191, 294, 299, 58,
        -53, 8, -137, 138, 29, -71, -108, 230, 219, -108, 350, 50, 11, -65, 100,
        12, 11, 432, 57, 49, -8, 39, 128, 76, -108, 41, 311, 29, -28, -125,
        100, -9, -144, -18, 15, -90, 155, -61, -93, 4, -100, -85, 0, -66, 96,
        -116, -104, 50, -156, -6, -41, -168, -32, 92, -46, 78, 115, 201, 73, 128,
        -139, 25, 232, -34, -42, 0, -39, 54, -120, -75, -52, -92, -11, -191, 20,
        309, 190, 167, 396, 138, 201, -92, -72, 51, -75, -61, -75, -119, -71, 50,
        -104, -101, -194, -196, 298, -105, -152, -116, -71, 159, 59, 64, -23, -10, -59,
        41, -4, 38, -71, -46, 401, -64, 271, -52, -181, -119, -186, 365, -191, -217,
    ]

    /// The noise of runs in a row: stretches of the recording, so that what hangs together stays so.
    static func sequence(_ count: Int, seed: UInt64) -> [Double] {
        var random = SplitMix64(seed: seed)
        var found: [Double] = []
        while found.count < count {
            let start = Int.random(in: 0..<thousandths.count, using: &random)
            for place in start..<start + 12 {
                found.append(Double(thousandths[place % thousandths.count]) / 1_000)
            }
        }
        return Array(found.prefix(count))
    }
}

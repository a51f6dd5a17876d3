import Glibc

/// The standard normal distribution.
enum NormalDistribution {
    /// The probability of a value above `z`.
    static func upperTail(_ z: Double) -> Double { erfc(z / 2.0.squareRoot()) / 2 }

    /// The value below which a share `p` of the distribution lies.
    ///
    /// - Parameter p: Above 0 and below 1; the ends are infinite.
    /// - Returns: The quantile, good to about twelve digits.
    static func quantile(_ p: Double) -> Double {
        guard p > 0 else { return -.infinity }
        guard p < 1 else { return .infinity }
        if p > 0.5 { return -quantile(1 - p) }
        // The tail falls steadily, so bisection needs no care; nobody asks a million times.
        var low = -40.0
        var high = 0.0
        for _ in 0..<80 {
            let middle = (low + high) / 2
            if upperTail(-middle) < p { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }
}

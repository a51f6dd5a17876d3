/// Holm's correction for many tests.
///
/// Of the usual corrections it is the one that fits a gate: it bounds the chance that *any* of the
/// tests raises a false alarm, and asks nothing of how they hang together (a run's metrics do).
/// Benjamini-Hochberg bounds the share of false ones among the alarms, which suits a list that a
/// person reads through, not an exit code.
public enum HolmCorrection {
    /// Adjusts p-values.
    ///
    /// - Parameter pValues: One a test.
    /// - Returns: In the same order, what to compare with the error rate of all tests together.
    public static func adjusted(_ pValues: [Double]) -> [Double] {
        var result = pValues
        var largest = 0.0
        let order = pValues.indices.sorted { pValues[$0] < pValues[$1] }
        for (place, index) in order.enumerated() {
            largest = max(largest, Double(pValues.count - place) * pValues[index])
            result[index] = min(1, largest)
        }
        return result
    }
}

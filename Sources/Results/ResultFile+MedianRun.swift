extension ResultFile {
    /// The repetition with the median throughput, the upper one of two; nil where there is none.
    ///
    /// The one that stands for all where a single one is shown.
    public var medianRun: RunRecord? {
        let byRate = runs.sorted { $0.throughput.pushesPerSecond < $1.throughput.pushesPerSecond }
        return byRate.isEmpty ? nil : byRate[byRate.count / 2]
    }
}

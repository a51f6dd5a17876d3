/// What a run cost the client, per push where that makes sense.
public struct Cost: Codable, Equatable, Sendable {
    /// A stage's cost beside the best that this machine can do.
    public struct Stage: Codable, Equatable, Sendable {
        /// CPU time per push, in nanoseconds.
        public var cpuNanosecondsPerPush: Double
        /// The least CPU time per push that was measured for such work alone; absent if it was not.
        public var limitNanosecondsPerPush: Double?

        /// Makes a stage's cost.
        ///
        /// - Parameters:
        ///   - cpuNanosecondsPerPush: CPU time per push.
        ///   - limitNanosecondsPerPush: The least that was measured, if it was.
        public init(cpuNanosecondsPerPush: Double, limitNanosecondsPerPush: Double? = nil) {
            self.cpuNanosecondsPerPush = cpuNanosecondsPerPush
            self.limitNanosecondsPerPush = limitNanosecondsPerPush
        }
    }

    /// CPU time of the client process per push, user and system, the mock's not included.
    public var cpuNanosecondsPerPush: Double?
    /// The stages by name; they need not add up to the whole.
    public var stages: [String: Stage]
    /// The most memory that the client process held at once, in bytes.
    public var peakRSSBytes: Int64?
    /// Heap allocations per push; absent where they are not counted.
    public var allocationsPerPush: Double?

    /// Makes a cost.
    ///
    /// - Parameters:
    ///   - cpuNanosecondsPerPush: CPU time per push.
    ///   - stages: The stages by name.
    ///   - peakRSSBytes: The most memory held at once.
    ///   - allocationsPerPush: Heap allocations per push.
    public init(
        cpuNanosecondsPerPush: Double? = nil,
        stages: [String: Stage] = [:],
        peakRSSBytes: Int64? = nil,
        allocationsPerPush: Double? = nil
    ) {
        self.cpuNanosecondsPerPush = cpuNanosecondsPerPush
        self.stages = stages
        self.peakRSSBytes = peakRSSBytes
        self.allocationsPerPush = allocationsPerPush
    }
}

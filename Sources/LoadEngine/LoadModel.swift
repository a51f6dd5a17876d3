/// When pushes are due: the shape of the offered load.
public enum LoadModel: Equatable, Sendable {
    /// A push is due as soon as a stream is free: the target's speed sets the rate.
    case closedLoop
    /// Pushes are due by a schedule, whatever the target does.
    ///
    /// - Parameters:
    ///   - rate: Pushes per second over all loops, above 0.
    ///   - arrivals: How the due times are spaced.
    case openLoop(rate: Double, arrivals: Arrivals)

    /// How the due times of an open loop are spaced.
    public enum Arrivals: String, CaseIterable, Sendable {
        /// Evenly.
        case constant
        /// Independently, with exponential gaps.
        case poisson
    }
}

/// How many pushes a run makes.
public enum PushGoal: Equatable, Sendable {
    /// So many pushes; beyond the audience's size it starts over at the first install.
    case pushes(Int)
    /// As many as are due within so many nanoseconds.
    case duration(nanoseconds: UInt64)
}

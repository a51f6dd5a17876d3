/// The life of one connection.
public struct ConnectionRecord: Codable, Equatable, Sendable {
    /// When it was ready, in nanoseconds since the run began.
    public var opened: Int64
    /// When it was gone, in nanoseconds since the run began; absent where the end was the run's.
    public var closed: Int64?
    /// Why it was closed before the end of the run; absent where it was not.
    public var reason: String?
    /// Pushes that were answered on it.
    public var pushes: Int

    /// Makes a record.
    ///
    /// - Parameters:
    ///   - opened: When it was ready, in nanoseconds since the run began.
    ///   - closed: When it was gone.
    ///   - reason: Why it was closed early.
    ///   - pushes: Pushes that were answered on it.
    public init(opened: Int64, closed: Int64? = nil, reason: String? = nil, pushes: Int) {
        self.opened = opened
        self.closed = closed
        self.reason = reason
        self.pushes = pushes
    }
}

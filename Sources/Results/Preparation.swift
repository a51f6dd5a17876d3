/// The phase before a send in which the secrets of encrypted pushes were made.
///
/// Its time and its CPU time are not in the run's other numbers.
public struct Preparation: Codable, Equatable, Sendable {
    /// How many secrets were made.
    public var secrets: Int
    /// How long it took, in nanoseconds.
    public var elapsed: Int64
    /// CPU time per secret, in nanoseconds.
    public var cpuNanosecondsPerPush: Double
    /// The memory that the secrets took, in bytes.
    public var bytes: Int
    /// How long preparation and send took together, in nanoseconds.
    public var elapsedWithSend: Int64

    /// Describes the phase.
    ///
    /// - Parameters:
    ///   - secrets: How many secrets were made.
    ///   - elapsed: How long it took, in nanoseconds.
    ///   - cpuNanosecondsPerPush: CPU time per secret.
    ///   - bytes: The memory that the secrets took.
    ///   - elapsedWithSend: How long preparation and send took together.
    public init(
        secrets: Int,
        elapsed: Int64,
        cpuNanosecondsPerPush: Double,
        bytes: Int,
        elapsedWithSend: Int64
    ) {
        self.secrets = secrets
        self.elapsed = elapsed
        self.cpuNanosecondsPerPush = cpuNanosecondsPerPush
        self.bytes = bytes
        self.elapsedWithSend = elapsedWithSend
    }
}

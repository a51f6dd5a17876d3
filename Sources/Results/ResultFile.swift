public import FoundationEssentials

/// One result as it is stored: what ran, on what, what came out and whether it counts.
///
/// The JSON has two-space indentation and sorted keys, so that two results can be compared line by
/// line. Durations are integer nanoseconds, sizes bytes; what is not known is absent. Keys that
/// this version does not know are ignored.
public struct ResultFile: Codable, Equatable, Sendable {
    /// The format; ``ResultSchema/current`` in all that is written here.
    public var schema: ResultSchema
    /// A name that sorts by time, unique in the store; see ``makeID(startedAt:)``.
    public var id: String
    /// When the first repetition began, to the millisecond.
    public var startedAt: Date
    /// When the last repetition ended, to the millisecond.
    public var finishedAt: Date
    /// False where the run was interrupted and the numbers are of a part.
    public var complete: Bool
    /// The program that measured.
    public var build: Build
    /// The machine it ran on.
    public var machine: Machine
    /// What was asked for.
    public var workload: Workload
    /// One record per repetition, in order.
    public var runs: [RunRecord]
    /// What limited the run and whether it counts.
    public var verdict: Verdict

    /// Makes a result in the current format.
    ///
    /// - Parameters:
    ///   - id: The name in the store.
    ///   - startedAt: When the first repetition began.
    ///   - finishedAt: When the last repetition ended.
    ///   - complete: False for a partial result.
    ///   - build: The program that measured.
    ///   - machine: The machine it ran on.
    ///   - workload: What was asked for.
    ///   - runs: One record per repetition.
    ///   - verdict: What limited the run and whether it counts.
    public init(
        id: String,
        startedAt: Date,
        finishedAt: Date,
        complete: Bool,
        build: Build,
        machine: Machine,
        workload: Workload,
        runs: [RunRecord],
        verdict: Verdict
    ) {
        schema = .current
        self.id = id
        self.startedAt = startedAt
        self.finishedAt = finishedAt
        self.complete = complete
        self.build = build
        self.machine = machine
        self.workload = workload
        self.runs = runs
        self.verdict = verdict
    }

    /// A name for a result: its start in UTC, then six random hex digits.
    ///
    /// - Parameter startedAt: When the first repetition began.
    /// - Returns: For example `20260131T235959Z-04f2a9`.
    public static func makeID(startedAt: Date) -> String {
        let time = startedAt.formatted(
            Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted)
        )
        let random = String(UInt32.random(in: 0..<1 << 24) | 1 << 24, radix: 16).dropFirst()
        return "\(time)-\(random)"
    }
}

/// The name of the result format, `pushbench.result/` and a version.
public struct ResultSchema: Equatable, Sendable {
    /// The format that this version writes, and the only one it reads.
    public static let current = ResultSchema(name: "pushbench.result/1")

    /// The name as it stands in the file.
    public let name: String
}

extension ResultSchema: Codable {
    /// Reads the name and refuses every other than the current one, before anything else is read.
    ///
    /// - Parameter decoder: Where the name stands.
    /// - Throws: ``UnknownSchema``, or what the decoder throws.
    public init(from decoder: any Decoder) throws {
        name = try decoder.singleValueContainer().decode(String.self)
        guard self == .current else {
            throw UnknownSchema(name: name)
        }
    }

    /// Writes the name.
    ///
    /// - Parameter encoder: Where it goes.
    /// - Throws: What the encoder throws.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(name)
    }
}

/// A file names a format that this version does not read.
public struct UnknownSchema: Error, Equatable, Sendable {
    /// The name that stands in the file.
    public let name: String
}

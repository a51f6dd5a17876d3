/// What a comparison says of a metric, or of all of them together.
public enum Answer: String, CaseIterable, Codable, Sendable {
    /// Better, and the change may be as large as the threshold.
    case better
    /// Whatever the change is, it is smaller than the threshold.
    case same
    /// Worse, and the change may be as large as the threshold.
    case worse
    /// The runs do not tell.
    case inconclusive

    /// The answer of several metrics together: worse where one is, else inconclusive where one is,
    /// else better where one is.
    ///
    /// - Parameter answers: The metrics' answers; none at all is inconclusive.
    public init(all answers: [Answer]) {
        let order: [Answer] = [.worse, .inconclusive, .better, .same]
        self = order.first { answers.contains($0) } ?? .inconclusive
    }
}

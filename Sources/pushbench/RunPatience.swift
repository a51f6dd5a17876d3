/// How long a run of `ab` may take before it is taken for one that hangs.
enum RunPatience {
    /// `--run-timeout`, in seconds: nothing else counts.
    case given(Double)
    /// What the flags of `run` ask for, in seconds; less where the runs before took much less.
    case expected(Double)

    /// A run that takes so many times as long as any before it hangs.
    private static let factor = 10.0
    private static let leastLimit = 60.0

    /// The limit of a run.
    ///
    /// - Parameter longest: What the longest run so far took, in seconds; 0 where there was none.
    /// - Returns: The seconds it may take, and what is said of one that takes longer.
    func limit(longest: Double) -> (seconds: Double, sentence: String) {
        switch self {
        case .given(let seconds):
            return (seconds, Self.sentence(seconds, "give ab a longer --run-timeout"))
        case .expected(let seconds):
            let usual = max(Self.leastLimit, longest * Self.factor)
            guard longest > 0, usual < seconds else {
                return (seconds, Self.sentence(seconds, "give ab a longer --run-timeout"))
            }
            return (
                usual,
                Self.sentence(
                    usual,
                    "that is at least ten times as long as any before; --run-timeout makes ab wait "
                        + "longer"
                )
            )
        }
    }

    private static func sentence(_ seconds: Double, _ rest: String) -> String {
        let text = seconds < 10 ? "\(Int(seconds * 1_000)) ms" : "\(Int(seconds)) s"
        return "it did not end within \(text); \(rest)"
    }
}

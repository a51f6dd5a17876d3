/// The exit codes of pushbench, on which users' scripts depend.
public enum ExitCode: Int32, CaseIterable, Sendable {
    /// Done.
    case done = 0
    /// The run failed.
    case runFailed = 1
    /// The command line is wrong.
    case usage = 2
    /// The message, the installs or another input is invalid.
    case invalidInput = 3
    /// An objective was not met.
    case objectiveNotMet = 4
    /// A comparison found a regression.
    case regression = 5
    /// A comparison could not tell.
    case inconclusive = 6
    /// Pushbench itself was the bottleneck, so the run says nothing of the target.
    case void = 7
    /// Pushes were lost or doubled, or got another content than they should.
    case accountMismatch = 8
    /// Interrupted by a signal.
    case interrupted = 130
}

extension ExitCode: CustomStringConvertible {
    /// What the code says, for the table in the help.
    public var description: String {
        switch self {
        case .done: "done"
        case .runFailed: "the run failed"
        case .usage: "wrong use of the command line"
        case .invalidInput: "invalid input data"
        case .objectiveNotMet: "an objective (--slo) was not met"
        case .regression: "regression"
        case .inconclusive: "inconclusive"
        case .void: "void: pushbench itself was the bottleneck"
        case .accountMismatch: "the account does not add up, or a content is wrong"
        case .interrupted: "interrupted; a partial result is kept and marked"
        }
    }
}

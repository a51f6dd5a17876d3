import Dispatch
import NetIO
import Synchronization

/// Asks the name service again before connections are opened, and never makes a loop wait for it.
///
/// Each loop has its own for each of its targets; the loop asks, a Dispatch queue looks the name up
/// and wakes the loop.
final class HostResolver: Sendable {
    /// What came of a look-up.
    typealias Outcome = Result<[SocketAddress], NetIOError>

    private enum State {
        case idle
        case underWay
        case done(Outcome)
    }

    private let lookUp: RunConfiguration.Target.LookUp
    private let wakeUp: WakeUp
    private let state = Mutex(State.idle)

    init(_ lookUp: @escaping RunConfiguration.Target.LookUp, wakeUp: WakeUp) {
        self.lookUp = lookUp
        self.wakeUp = wakeUp
    }

    /// Loop: the outcome of the look-up asked for before; else asks for one and gives nil.
    func takeOutcome() -> Outcome? {
        let outcome: Outcome? = state.withLock { state in
            switch state {
            case .underWay: return nil
            case .done(let outcome):
                state = .idle
                return outcome
            case .idle:
                state = .underWay
                start()
                return nil
            }
        }
        return outcome
    }

    private func start() {
        DispatchQueue.global(qos: .userInitiated).async { [self] in
            let outcome: Outcome
            do throws(NetIOError) {
                outcome = .success(try lookUp())
            } catch {
                outcome = .failure(error)
            }
            state.withLock { $0 = .done(outcome) }
            wakeUp.wake()
        }
    }
}

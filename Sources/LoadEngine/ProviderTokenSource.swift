import Dispatch
import Glibc
import NetIO
public import PushCrypto
import Synchronization

/// The provider token of one key, for all connections of a process (contract 1.4).
///
/// Made anew between 20 and 55 minutes of age, by the monotonic clock, so that a wall clock that jumps
/// renews nothing; only what the token says of its own age is wall time. Signing is done on a Dispatch
/// queue. May be used by any thread.
public final class ProviderTokenSource: Sendable {
    /// The clocks that a source reads; tests bring their own.
    public struct Clocks: Sendable {
        /// Nanoseconds of a clock that never jumps.
        public var monotonicNanoseconds: @Sendable () -> UInt64
        /// Seconds since 1970.
        public var unixSeconds: @Sendable () -> Int64

        /// Makes a pair of clocks.
        public init(
            monotonicNanoseconds: @escaping @Sendable () -> UInt64,
            unixSeconds: @escaping @Sendable () -> Int64
        ) {
            self.monotonicNanoseconds = monotonicNanoseconds
            self.unixSeconds = unixSeconds
        }

        /// The system's.
        public static let system = Clocks(
            monotonicNanoseconds: { MonotonicInstant.now().nanoseconds },
            unixSeconds: {
                var time = timespec()
                clock_gettime(CLOCK_REALTIME, &time)
                return Int64(time.tv_sec)
            }
        )
    }

    /// How old tokens get, in nanoseconds.
    public struct Ages: Equatable, Sendable {
        /// The age at which a token is made anew.
        public var lifetime: UInt64 = 3_000_000_000_000
        /// The age before which none is, whatever happens: APNs takes a new one every 20 minutes.
        public var least: UInt64 = 1_200_000_000_000

        /// 50 and 20 minutes.
        public init() {}
    }

    /// What can be done about a token that the target calls expired.
    enum Renewal: Equatable {
        /// A newer one than the push had is there already.
        case done
        /// A new one is being made: the version that it will have.
        case underWay(version: Int)
        /// The token is too young for another: its age in nanoseconds.
        case tooYoung(UInt64)
    }

    private struct State {
        var authorization: String
        var issuedAt: UInt64
        var isRenewing = false
        /// When tokens after the first were there, on the monotonic clock.
        var renewals: [UInt64] = []
        var failure: String?
    }

    private let signer: ProviderTokenSigner
    private let ages: Ages
    private let clocks: Clocks
    private let state: Mutex<State>
    private let currentVersion = Atomic<Int>(1)
    /// On the monotonic clock: loops look at it often.
    private let renewalDue: Atomic<UInt64>

    /// After a failure to sign.
    private static let pauseAfterFailure: UInt64 = 1_000_000_000

    /// Makes a source, and its first token.
    ///
    /// - Parameters:
    ///   - signer: What signs the tokens.
    ///   - ages: How old they get.
    ///   - clocks: What tells the time.
    /// - Throws: `CryptoError` where nothing can be signed.
    public init(
        signer: ProviderTokenSigner,
        ages: Ages = Ages(),
        clocks: Clocks = .system
    ) throws(CryptoError) {
        self.signer = signer
        self.ages = ages
        self.clocks = clocks
        let now = clocks.monotonicNanoseconds()
        let token = try signer.makeToken(issuedAt: clocks.unixSeconds())
        state = Mutex(State(authorization: "bearer \(token)", issuedAt: now))
        renewalDue = Atomic(now &+ max(ages.lifetime, ages.least))
    }

    /// The value of `authorization`.
    public var authorization: String { state.withLock { $0.authorization } }

    /// Which token ``authorization`` holds: 1, then one more with each renewal.
    var version: Int { currentVersion.load(ordering: .acquiring) }

    /// Why the last attempt to renew the token failed, as a sentence; nil where it did not.
    var failure: String? { state.withLock { $0.failure } }

    /// When tokens were renewed at or after `start`.
    func renewals(since start: MonotonicInstant) -> [MonotonicInstant] {
        state.withLock { $0.renewals }.filter { $0 >= start.nanoseconds }
            .map(MonotonicInstant.init)
    }

    /// Begins to make a new token where the present one is old enough; returns at once.
    func renewIfDue() {
        guard clocks.monotonicNanoseconds() >= renewalDue.load(ordering: .relaxed) else { return }
        state.withLock { state in
            guard clocks.monotonicNanoseconds() >= renewalDue.load(ordering: .relaxed) else {
                return
            }
            beginRenewal(&state)
        }
    }

    /// Asks for a newer token than the target called expired.
    ///
    /// - Parameter version: The low bits of the version of the token that it was sent.
    /// - Returns: What is done about it.
    func replaceExpired(version: UInt8) -> Renewal {
        state.withLock { state in
            if UInt8(truncatingIfNeeded: self.version) != version { return .done }
            // The version moves under this lock alone.
            let next = self.version + 1
            if state.isRenewing { return .underWay(version: next) }
            let age = clocks.monotonicNanoseconds() &- state.issuedAt
            guard age >= ages.least else { return .tooYoung(age) }
            beginRenewal(&state)
            return .underWay(version: next)
        }
    }

    private func beginRenewal(_ state: inout State) {
        guard !state.isRenewing else { return }
        state.isRenewing = true
        DispatchQueue.global(qos: .userInitiated).async { [self] in renew() }
    }

    private func renew() {
        let seconds = clocks.unixSeconds()
        let made: Result<String, CryptoError>
        do throws(CryptoError) {
            made = .success(try signer.makeToken(issuedAt: seconds))
        } catch {
            made = .failure(error)
        }
        let now = clocks.monotonicNanoseconds()
        state.withLock { state in
            state.isRenewing = false
            switch made {
            case .success(let token):
                state.authorization = "bearer \(token)"
                state.issuedAt = now
                state.renewals.append(now)
                state.failure = nil
                renewalDue.store(now &+ max(ages.lifetime, ages.least), ordering: .relaxed)
                currentVersion.add(1, ordering: .releasing)
            case .failure(let error):
                state.failure = error.description
                renewalDue.store(now &+ Self.pauseAfterFailure, ordering: .relaxed)
            }
        }
    }
}

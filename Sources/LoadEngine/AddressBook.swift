import NetIO

/// The addresses of a target: which one the next connection goes to.
///
/// Touched by its loop's thread alone. They take turns, so that connections spread over them; one
/// that failed is passed over for a while, longer each time, unless all have failed.
struct AddressBook {
    private struct Failure {
        var address: SocketAddress
        var count: Int
        var avoidedUntil: MonotonicInstant
    }

    private(set) var addresses: [SocketAddress]
    private var next: Int
    /// Few: addresses that failed and have not answered since.
    private var failures: [Failure] = []
    /// When the name service was last asked.
    private(set) var resolvedAt: MonotonicInstant

    /// How long an address is passed over after its first failure; doubled with each further one.
    static let firstAvoidance: UInt64 = 2_000_000_000
    private static let mostDoublings = 5

    init(_ addresses: [SocketAddress], first: Int, resolvedAt: MonotonicInstant) {
        self.addresses = addresses
        next = first
        self.resolvedAt = resolvedAt
    }

    /// Whether the addresses were looked up less than `age` nanoseconds ago.
    func isFresh(at now: MonotonicInstant, age: UInt64) -> Bool {
        now.nanoseconds(since: resolvedAt) < age
    }

    /// Takes over what the name service says now; what is known of addresses that stay is kept.
    mutating func update(_ found: [SocketAddress], at now: MonotonicInstant) {
        resolvedAt = now
        guard !found.isEmpty else { return }
        addresses = found
        failures.removeAll { !found.contains($0.address) }
    }

    /// Notes that the name service had no answer: the addresses known so far stay in use.
    mutating func keep(at now: MonotonicInstant) { resolvedAt = now }

    /// The address for the next connection.
    mutating func take(at now: MonotonicInstant) -> SocketAddress {
        var best = addresses[next % addresses.count]
        var bestTurn = next
        var leastAvoided: MonotonicInstant?
        for turn in next..<(next + addresses.count) {
            let address = addresses[turn % addresses.count]
            guard let failure = failures.first(where: { $0.address == address }),
                failure.avoidedUntil > now
            else {
                next = turn + 1
                return address
            }
            if leastAvoided.map({ failure.avoidedUntil < $0 }) ?? true {
                leastAvoided = failure.avoidedUntil
                best = address
                bestTurn = turn
            }
        }
        next = bestTurn + 1
        return best
    }

    /// Notes that a connection to `address` failed.
    mutating func noteFailure(of address: SocketAddress, at now: MonotonicInstant) {
        let place = failures.firstIndex { $0.address == address }
        let count = place.map { failures[$0].count } ?? 0
        let failure = Failure(
            address: address,
            count: count + 1,
            avoidedUntil: now.advanced(
                by: Self.firstAvoidance << UInt64(min(count, Self.mostDoublings))
            )
        )
        if let place { failures[place] = failure } else { failures.append(failure) }
    }

    /// Notes that `address` answers.
    mutating func noteAnswer(from address: SocketAddress) {
        guard !failures.isEmpty else { return }
        failures.removeAll { $0.address == address }
    }
}

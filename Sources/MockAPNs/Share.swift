import PushModel

/// A share of all pushes or tokens, 0 to 1, as a threshold for 64 random bits.
public struct Share: Equatable, Sendable {
    /// The share, 0 to 1.
    public let fraction: Double

    /// None of them.
    public static let none = Share(fraction: 0)

    /// Makes a share, brought within 0 and 1.
    public init(fraction: Double) { self.fraction = min(max(fraction, 0), 1) }

    /// Whether it is none.
    var isNone: Bool { fraction <= 0 }
}

/// Chooses one of several things by shares, for 64 random bits; none for the rest.
struct ShareTable: Sendable {
    private var bounds: [UInt64] = []
    private var places: [Int] = []

    /// Whether nothing is ever chosen.
    var isEmpty: Bool { bounds.isEmpty }

    /// Makes a table; shares past a sum of 1 come to nothing.
    init(_ shares: [Share]) {
        var sum = 0.0
        for (place, share) in shares.enumerated() where !share.isNone {
            sum = min(1, sum + share.fraction)
            bounds.append(sum >= 1 ? .max : UInt64(sum * 0x1p64))
            places.append(place)
        }
    }

    /// The place among the shares of what `draw`, 64 random bits, chooses.
    func place(_ draw: UInt64) -> Int? {
        var index = 0
        while index < bounds.count {
            if draw < bounds[index] || bounds[index] == .max { return places[index] }
            index += 1
        }
        return nil
    }
}

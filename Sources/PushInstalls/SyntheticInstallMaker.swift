/// Makes one synthetic install after the other into memory of its own, without allocating.
struct SyntheticInstallMaker: ~Copyable {
    static let longToken = 160
    static let uidPrefix: StaticString = "0050000"
    static let uidLength = 18

    private static let usualToken = 64
    private static let oneLongTokenIn: UInt64 = 1_000
    private static let badgeValues: UInt64 = 100
    // Lanes of the generator; the ten words of the token start at the last one.
    private static let languageLane: UInt64 = 0
    private static let shapeLane: UInt64 = 1
    private static let uidLane: UInt64 = 2
    private static let cipherLane: UInt64 = 3
    private static let tokenLane: UInt64 = 4
    private static let alphabet: StaticString =
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

    private let generator: CounterGenerator
    private let cumulativeShares: [UInt64]
    private let totalShare: UInt64
    private let hasUIDs: Bool
    private let hasBadges: Bool
    private let text: UnsafeMutableRawPointer
    private var tokenLength = 0
    private var install: UInt64 = 0

    /// The place of the install's language in the mix.
    private(set) var languageEntry = 0
    /// The install's badge, where the population has badges.
    private(set) var badge: Int64?

    init(population: SyntheticPopulation) {
        generator = CounterGenerator(seed: population.seed)
        cumulativeShares = population.languages.cumulativeShares
        totalShare = cumulativeShares.last ?? 0
        hasUIDs = population.hasUIDs
        hasBadges = population.hasBadges
        text = .allocate(byteCount: Self.longToken + Self.uidLength, alignment: 8)
        let uid = text + Self.longToken
        uid.copyMemory(from: Self.uidPrefix.utf8Start, byteCount: Self.uidPrefix.utf8CodeUnitCount)
    }

    deinit { text.deallocate() }

    /// The token of the install made last.
    var token: RawSpan {
        @_lifetime(borrow self)
        get {
            unsafe _overrideLifetime(
                RawSpan(_unsafeStart: text, byteCount: tokenLength),
                borrowing: self
            )
        }
    }

    /// The user id of the install made last; empty where the population has none.
    var uid: RawSpan {
        @_lifetime(borrow self)
        get {
            unsafe _overrideLifetime(
                RawSpan(
                    _unsafeStart: text + Self.longToken,
                    byteCount: hasUIDs ? Self.uidLength : 0
                ),
                borrowing: self
            )
        }
    }

    /// Makes the install of an index; the one made before is gone.
    mutating func make(_ index: Int) {
        install = UInt64(truncatingIfNeeded: index)
        let shape = generator.word(install: install, lane: Self.shapeLane)
        tokenLength = shape % Self.oneLongTokenIn == 0 ? Self.longToken : Self.usualToken
        for part in 0..<tokenLength / 16 {
            let lane = Self.tokenLane + UInt64(truncatingIfNeeded: part)
            HexText.store(generator.word(install: install, lane: lane), at: text + part * 16)
        }
        let draw = generator.word(install: install, lane: Self.languageLane)
        languageEntry = entry(at: draw.multipliedFullWidth(by: totalShare).high)
        badge = hasBadges ? Int64((shape >> 32) % Self.badgeValues) : nil
        if hasUIDs { writeUID(generator.word(install: install, lane: Self.uidLane)) }
    }

    /// Whether the install made last is among so many of a hundred without a cipher name.
    func hasPKCS1(share: Int) -> Bool {
        generator.word(install: install, lane: Self.cipherLane) % 100 < UInt64(max(0, share))
    }

    /// The first entry whose cumulative share is above a point below the total.
    private func entry(at point: UInt64) -> Int {
        var low = 0
        var high = cumulativeShares.count - 1
        while low < high {
            let middle = (low + high) / 2
            if cumulativeShares[middle] > point { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Writes a word behind the prefix in base 62; eleven digits hold any word, so ids differ.
    private func writeUID(_ word: UInt64) {
        var rest = word
        var position = Self.longToken + Self.uidLength
        while position > Self.longToken + Self.uidPrefix.utf8CodeUnitCount {
            position -= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 62)
            text.storeBytes(
                of: Self.alphabet.utf8Start[Int(digit)],
                toByteOffset: position,
                as: UInt8.self
            )
            rest = quotient
        }
    }
}

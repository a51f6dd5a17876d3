import PushModel

/// Random words addressed by (install, lane): the same on every machine and in any order.
///
/// Each word is the SplitMix64 output at its own counter. The finaliser is a bijection and no two
/// (install, lane) pairs share a counter, so words never repeat within a seed. That makes tokens
/// unique by construction, with nothing remembered.
struct CounterGenerator {
    /// How many words belong to one install.
    static let lanes: UInt64 = 16
    private static let goldenGamma: UInt64 = 0x9E37_79B9_7F4A_7C15

    private let base: UInt64

    init(seed: UInt64) { base = SplitMix64.mix(seed &+ Self.goldenGamma) }

    /// The word of one lane (`0..<16`) of one install.
    func word(install: UInt64, lane: UInt64) -> UInt64 {
        let counter = install &* Self.lanes &+ lane &+ 1
        return SplitMix64.mix(base &+ counter &* Self.goldenGamma)
    }
}

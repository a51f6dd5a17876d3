import HTTP2
import PushModel

/// The `apns-id` of each push of a run: a UUID that follows from the run and the push's sequence
/// number, so that a push which goes out again carries the same one.
struct PushIDMaker {
    private let first: UInt64
    private let second: UInt64

    init(runID: UInt64) {
        first = SplitMix64.mix(runID)
        second = SplitMix64.mix(~runID)
    }

    /// Writes the id of a push to `target`, ``RequestProfile/idByteCount`` bytes.
    ///
    /// Version 8 of RFC 9562: the bits are this program's own. The other 122 are as good as random.
    func write(_ sequence: Int, to target: UnsafeMutableRawBufferPointer) {
        let number = UInt64(truncatingIfNeeded: sequence)
        var high = SplitMix64.mix(number ^ first)
        let low = SplitMix64.mix(number &+ second) & 0x3FFF_FFFF_FFFF_FFFF | 1 << 63
        high = high & ~0xF000 | 0x8000
        let digits: StaticString = "0123456789abcdef"
        var place = 0
        for position in 0..<32 {
            if position == 8 || position == 12 || position == 16 || position == 20 {
                target[place] = UInt8(ascii: "-")
                place += 1
            }
            let word = position < 16 ? high : low
            let digit = Int(truncatingIfNeeded: word >> UInt64(60 - 4 * (position & 15))) & 0xF
            target[place] = digits.utf8Start[digit]
            place += 1
        }
    }
}

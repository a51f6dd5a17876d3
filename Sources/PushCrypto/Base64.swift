import CShims

/// Base64 with the standard alphabet and padding (RFC 4648 section 4), without line breaks.
public enum Base64 {
    /// The two characters of every 12 bits, in memory order.
    private static let pairs: [UInt16] = {
        let alphabet = Array(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
        )
        return (0..<4096).map { UInt16(alphabet[$0 & 63]) << 8 | UInt16(alphabet[$0 >> 6]) }
    }()

    /// What every byte stands for; ``space`` and ``bad`` are above all digits.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: bad, count: 256)
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        for (value, digit) in alphabet.utf8.enumerated() { values[Int(digit)] = UInt8(value) }
        for byte in " \t\r\n".utf8 { values[Int(byte)] = space }
        return values
    }()
    private static let space: UInt8 = 64
    private static let bad: UInt8 = 255

    /// Appends the base64 of bytes; allocates nothing.
    ///
    /// - Precondition: ``SealedSizes/base64Count(_:)`` characters fit into the free capacity.
    /// - Parameters:
    ///   - source: The bytes.
    ///   - output: Where the text goes.
    public static func append(_ source: RawSpan, to output: inout OutputRawSpan) {
        let count = SealedSizes.base64Count(source.byteCount)
        precondition(count <= output.freeCapacity, "no room for \(count) characters")
        source.withUnsafeBytes { source in
            guard let start = source.baseAddress, !source.isEmpty else { return }
            output.withUnsafeMutableBytes { destination, initialized in
                let target = UnsafeMutableRawBufferPointer(rebasing: destination[initialized...])
                guard let base = target.baseAddress else { return }
                encode(start, count: source.count, to: base)
                initialized += count
            }
        }
    }

    /// Writes `SealedSizes.base64Count(count)` characters to `target`, which overlaps nothing.
    static func encode(
        _ source: UnsafeRawPointer,
        count: Int,
        to target: UnsafeMutableRawPointer
    ) {
        pairs.withUnsafeBufferPointer { pairs in
            var read = cps_base64_encode_front(
                source.assumingMemoryBound(to: UInt8.self),
                count,
                target.assumingMemoryBound(to: UInt8.self)
            )
            var write = read / 3 * 4
            // Six bytes a step, read as eight: the last two of the source are left to the tail.
            while read &+ 8 <= count {
                let word = UInt64(
                    bigEndian: source.loadUnaligned(fromByteOffset: read, as: UInt64.self)
                )
                let first = UInt64(pairs[Int(truncatingIfNeeded: word >> 52)])
                let second = UInt64(pairs[Int(truncatingIfNeeded: word >> 40) & 4095])
                let third = UInt64(pairs[Int(truncatingIfNeeded: word >> 28) & 4095])
                let fourth = UInt64(pairs[Int(truncatingIfNeeded: word >> 16) & 4095])
                target.storeBytes(
                    of: (first | second << 16 | third << 32 | fourth << 48).littleEndian,
                    toByteOffset: write,
                    as: UInt64.self
                )
                read &+= 6
                write &+= 8
            }
            while read < count {
                let left = min(3, count - read)
                var group: UInt32 = 0
                for offset in 0..<3 {
                    let byte: UInt8 =
                        offset < left
                        ? source.load(fromByteOffset: read + offset, as: UInt8.self) : 0
                    group = group << 8 | UInt32(byte)
                }
                let high = UInt32(pairs[Int(group >> 12)])
                let low = UInt32(pairs[Int(group & 4095)])
                target.storeBytes(
                    of: (high | low << 16).littleEndian,
                    toByteOffset: write,
                    as: UInt32.self
                )
                for offset in left + 1..<max(4, left + 1) {
                    target.storeBytes(
                        of: UInt8(ascii: "="),
                        toByteOffset: write + offset,
                        as: UInt8.self
                    )
                }
                read += 3
                write += 4
            }
        }
    }

    /// Decodes what a person or an app hands in: space, tab, CR and LF are skipped, `=` at the end
    /// is ignored, unused bits too (contract 11 `c-sf-base64`).
    ///
    /// - Returns: The number of bytes; nil where it is not base64 or more than `target` holds.
    static func decodeLeniently(
        _ text: UnsafeRawBufferPointer,
        into target: UnsafeMutableRawBufferPointer
    ) -> Int? {
        var end = text.count
        while end > 0, text[end - 1] == UInt8(ascii: "=") || values[Int(text[end - 1])] == space {
            end -= 1
        }
        return values.withUnsafeBufferPointer { values in
            var bits: UInt32 = 0
            var digits = 0
            var count = 0
            for index in 0..<end {
                let value = values[Int(text[index])]
                if value >= space {
                    if value == space { continue }
                    return nil
                }
                bits = bits << 6 | UInt32(value)
                digits &+= 1
                guard digits & 3 == 0 else { continue }
                guard count &+ 3 <= target.count else { return nil }
                target[count] = UInt8(truncatingIfNeeded: bits >> 16)
                target[count &+ 1] = UInt8(truncatingIfNeeded: bits >> 8)
                target[count &+ 2] = UInt8(truncatingIfNeeded: bits)
                count &+= 3
            }
            let left = digits & 3
            guard left > 0 else { return count }
            guard left > 1, count + left - 1 <= target.count else { return nil }
            bits <<= UInt32(6 * (4 - left))
            for offset in 0..<left - 1 {
                target[count + offset] = UInt8(truncatingIfNeeded: bits >> (16 - 8 * offset))
            }
            return count + left - 1
        }
    }

    /// Decodes as a device does: no whitespace, padding needed (contract 3.2).
    ///
    /// - Returns: The bytes; nil where the text is not strict base64.
    static func decodeStrictly(_ text: RawSpan) -> [UInt8]? {
        text.withUnsafeBytes { text in
            guard text.count % 4 == 0 else { return nil }
            let padding = text.reversed().prefix(2).prefix { $0 == UInt8(ascii: "=") }.count
            guard text.dropLast(padding).allSatisfy({ values[Int($0)] < space }) else { return nil }
            let count = text.count / 4 * 3 - padding
            return [UInt8](unsafeUninitializedCapacity: count) { bytes, initialized in
                let room = UnsafeMutableRawBufferPointer(bytes)
                initialized = decodeLeniently(text, into: room) ?? 0
            }
        }
    }
}

/// The Huffman code of HPACK (RFC 7541 section 5.2 and appendix B).
///
/// The code is canonical: the symbols in order of code length, then value, have consecutive codes.
/// So the lengths say everything. Decoding looks up 12 bits at a time, which are two symbols of
/// the usual ones.
enum HPACKHuffman {
    static let windowBits = 12
    static let endOfString = 256
    static let longestCode = 30

    /// For each 12-bit window: first symbol, second symbol, count of whole symbols (0 to 2), bits of
    /// the first, bits of all, a byte each but for the last two, which are nibbles.
    ///
    /// Written once before the first use and never again, so any thread may read it.
    nonisolated(unsafe) static let windows: UnsafePointer<UInt32> = makeWindows()

    // Per code length, for the long codes; immutable after their one initialisation.
    private static let canonical = Canonical()

    /// Decodes `count` bytes into `target`, which has room for 2 * `count` + 2 bytes.
    ///
    /// - Returns: The number of bytes written; nil where the code is broken (padding longer than 7
    ///   bits or not of ones, or the end-of-string symbol).
    static func decode(
        _ source: UnsafeRawPointer,
        count: Int,
        into target: UnsafeMutableRawPointer,
        windows: UnsafePointer<UInt32>
    ) -> Int? {
        var next = source
        let end = source + count
        var out = target
        var bits: UInt64 = 0
        var bitCount = 0
        while true {
            // At least `longestCode` bits, as long as there are so many.
            if end - next >= 4 {
                if bitCount <= 32 {
                    let four = UInt32(bigEndian: next.loadUnaligned(as: UInt32.self))
                    bits = bits << 32 | UInt64(four)
                    next += 4
                    bitCount += 32
                }
            } else {
                while bitCount <= 48, next < end {
                    bits = bits << 8 | UInt64(next.load(as: UInt8.self))
                    next += 1
                    bitCount += 8
                }
            }
            if bitCount < windowBits { break }
            let window = Int(truncatingIfNeeded: bits >> UInt64(bitCount - windowBits)) & 0xFFF
            let entry = windows[window]
            let symbols = Int(entry >> 16 & 0xFF)
            if symbols == 0 {
                guard let found = longCode(bits, bitCount) else { break }
                guard found.symbol != endOfString else { return nil }
                out.storeBytes(of: UInt8(truncatingIfNeeded: found.symbol), as: UInt8.self)
                out += 1
                bitCount -= found.length
                continue
            }
            out.storeBytes(of: UInt16(truncatingIfNeeded: entry).littleEndian, as: UInt16.self)
            out += symbols
            bitCount -= Int(entry >> 28)
        }
        // Fewer than 12 bits are left, or a long code that is cut off: whole codes, then padding.
        while bitCount > 0 {
            let ones = (UInt64(1) << UInt64(windowBits)) - 1
            var window = 0
            if bitCount < windowBits {
                let shift = UInt64(windowBits - bitCount)
                window = Int(truncatingIfNeeded: (bits << shift | ((1 << shift) - 1)) & ones)
            } else {
                window = Int(truncatingIfNeeded: bits >> UInt64(bitCount - windowBits) & ones)
            }
            let entry = windows[window]
            let length = Int(entry >> 24 & 0xF)
            guard entry >> 16 & 0xFF > 0, length <= bitCount else { break }
            out.storeBytes(of: UInt8(truncatingIfNeeded: entry), as: UInt8.self)
            out += 1
            bitCount -= length
        }
        guard bitCount <= 7 else { return nil }
        let padding = (UInt64(1) << UInt64(bitCount)) - 1
        guard bits & padding == padding else { return nil }
        return out - target
    }

    /// The code at the front of `bits`, of 13 bits or more; nil where it is cut off.
    private static func longCode(
        _ bits: UInt64,
        _ bitCount: Int
    ) -> (symbol: Int, length: Int)? {
        for length in (windowBits + 1)...longestCode {
            guard length <= bitCount else { return nil }
            let code =
                Int(truncatingIfNeeded: bits >> UInt64(bitCount - length))
                & ((1 << length) - 1)
            let rank = code - canonical.firstCode[length]
            if rank >= 0, rank < canonical.counts[length] {
                return (canonical.symbols[canonical.firstRank[length] + rank], length)
            }
        }
        return nil
    }

    private static func makeWindows() -> UnsafePointer<UInt32> {
        let size = 1 << windowBits
        let table = UnsafeMutablePointer<UInt32>.allocate(capacity: size)
        let code = canonical
        for window in 0..<size {
            guard let first = code.short(window, bits: windowBits) else {
                (table + window).initialize(to: 0)
                continue
            }
            let left = windowBits - first.length
            var entry = UInt32(first.symbol) | UInt32(first.length) << 24
            if let second = code.short(window & ((1 << left) - 1), bits: left) {
                entry |= UInt32(second.symbol) << 8 | 2 << 16
                entry |= UInt32(first.length + second.length) << 28
            } else {
                entry |= 1 << 16 | UInt32(first.length) << 28
            }
            (table + window).initialize(to: entry)
        }
        return UnsafePointer(table)
    }

    /// Symbols in code order, and for each length its first code, the rank of that and how many.
    struct Canonical {
        var symbols: [Int] = []
        var firstCode = [Int](repeating: 0, count: longestCode + 1)
        var firstRank = [Int](repeating: 0, count: longestCode + 1)
        var counts = [Int](repeating: 0, count: longestCode + 1)

        init() {
            let lengths = HPACKHuffman.codeLengths
            for length in lengths { counts[length] += 1 }
            var code = 0
            for length in 1...longestCode {
                code <<= 1
                firstCode[length] = code
                firstRank[length] = symbols.count
                for (symbol, own) in lengths.enumerated() where own == length {
                    symbols.append(symbol)
                    code += 1
                }
            }
        }

        /// The code that fits into the first of `bits` bits of `window`, if one does.
        func short(_ window: Int, bits: Int) -> (symbol: Int, length: Int)? {
            for length in 1..<(bits + 1) {
                let rank = (window >> (bits - length)) - firstCode[length]
                if rank >= 0, rank < counts[length] {
                    return (symbols[firstRank[length] + rank], length)
                }
            }
            return nil
        }
    }

    /// Appendix B's code length of each symbol, run by run: (length, how many symbols).
    private static let codeLengths: [Int] = {
        let runs: [(Int, Int)] = [
            (13, 1), (23, 1), (28, 7), (24, 1), (30, 1), (28, 2), (30, 1), (28, 8), (30, 1),
            (28, 9), (6, 1), (10, 2), (12, 1), (13, 1), (6, 1), (8, 1), (11, 1), (10, 2), (8, 1),
            (11, 1), (8, 1), (6, 3), (5, 3), (6, 7), (7, 1), (8, 1), (15, 1), (6, 1), (12, 1),
            (10, 1), (13, 1), (6, 1), (7, 22), (8, 1), (7, 1), (8, 1), (13, 1), (19, 1), (13, 1),
            (14, 1), (6, 1), (15, 1), (5, 1), (6, 1), (5, 1), (6, 1), (5, 1), (6, 3), (5, 1),
            (7, 2), (6, 3), (5, 1), (6, 1), (7, 1), (6, 1), (5, 2), (6, 1), (7, 5), (15, 1),
            (11, 1), (14, 1), (13, 1), (28, 1), (20, 1), (22, 1), (20, 2), (22, 3), (23, 1),
            (22, 1), (23, 5), (24, 1), (23, 1), (24, 2), (22, 1), (23, 1), (24, 1), (23, 4),
            (21, 1), (22, 1), (23, 1), (22, 1), (23, 2), (24, 1), (22, 1), (21, 1), (20, 1),
            (22, 2), (23, 2), (21, 1), (23, 1), (22, 2), (24, 1), (21, 1), (22, 1), (23, 2),
            (21, 2), (22, 1), (21, 1), (23, 1), (22, 1), (23, 2), (20, 1), (22, 3), (23, 1),
            (22, 2), (23, 1), (26, 2), (20, 1), (19, 1), (22, 1), (23, 1), (22, 1), (25, 1),
            (26, 3), (27, 2), (26, 1), (24, 1), (25, 1), (19, 1), (21, 1), (26, 1), (27, 2),
            (26, 1), (27, 1), (24, 1), (21, 2), (26, 2), (28, 1), (27, 3), (20, 1), (24, 1),
            (20, 1), (21, 1), (22, 1), (21, 2), (23, 1), (22, 2), (25, 2), (24, 2), (26, 1),
            (23, 1), (26, 1), (27, 1), (26, 2), (27, 5), (28, 1), (27, 5), (26, 1), (30, 1),
        ]
        return runs.flatMap { [Int](repeating: $0.0, count: $0.1) }
    }()
}

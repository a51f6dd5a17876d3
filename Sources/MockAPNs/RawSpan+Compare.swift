import Glibc

extension RawSpan {
    /// Whether the bytes are those of `other`.
    func equals(_ other: [UInt8]) -> Bool {
        guard byteCount == other.count else { return false }
        return other.withUnsafeBytes { starts(with: $0) }
    }

    /// Whether the bytes are those of `other`.
    func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        byteCount == other.count && starts(with: other)
    }

    /// Whether the bytes are those of `text`.
    func equals(_ text: StaticString) -> Bool {
        byteCount == text.utf8CodeUnitCount && starts(with: text)
    }

    /// Whether the bytes start with `prefix`.
    func starts(with prefix: StaticString) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard byteCount >= count else { return false }
        return starts(with: UnsafeRawBufferPointer(start: prefix.utf8Start, count: count))
    }

    /// Whether the bytes end with `suffix`.
    func ends(with suffix: [UInt8]) -> Bool {
        byteCount >= suffix.count
            && extracting(droppingFirst: byteCount - suffix.count).equals(suffix)
    }

    /// A copy of the bytes.
    var copied: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Whether the first bytes, which are as many as `other` has at least, are those of `other`.
    ///
    /// Field values are mostly short: two words that overlap cost less than a call.
    private func starts(with other: UnsafeRawBufferPointer) -> Bool {
        let count = other.count
        guard let right = other.baseAddress, count > 0 else { return true }
        return withUnsafeBytes { bytes in
            guard let left = bytes.baseAddress else { return false }
            switch count {
            case 8...16: return Self.differ(left, right, count, UInt64.self) == 0
            case 4...7: return Self.differ(left, right, count, UInt32.self) == 0
            default: return memcmp(left, right, count) == 0
            }
        }
    }

    /// The bits in which the first or the last word of `count` bytes differ.
    @inline(__always)
    private static func differ<Word: FixedWidthInteger & BitwiseCopyable>(
        _ left: UnsafeRawPointer,
        _ right: UnsafeRawPointer,
        _ count: Int,
        _ word: Word.Type
    ) -> Word {
        let last = count - MemoryLayout<Word>.size
        let first = left.loadUnaligned(as: word) ^ right.loadUnaligned(as: word)
        let end = (left + last).loadUnaligned(as: word) ^ (right + last).loadUnaligned(as: word)
        return first | end
    }
}

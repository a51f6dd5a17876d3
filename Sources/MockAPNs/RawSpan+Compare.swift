import Glibc

extension RawSpan {
    /// Whether the bytes are those of `other`.
    func equals(_ other: [UInt8]) -> Bool {
        other.withUnsafeBytes { equals($0) }
    }

    /// Whether the bytes start with `prefix`.
    func starts(with prefix: StaticString) -> Bool {
        let count = prefix.utf8CodeUnitCount
        guard byteCount >= count else { return false }
        return extracting(0..<count).equals(
            UnsafeRawBufferPointer(start: prefix.utf8Start, count: count)
        )
    }

    private func equals(_ other: UnsafeRawBufferPointer) -> Bool {
        guard byteCount == other.count else { return false }
        return withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, let otherBase = other.baseAddress else {
                return other.isEmpty
            }
            return memcmp(base, otherBase, bytes.count) == 0
        }
    }

    /// Whether the bytes are those of `text`.
    func equals(_ text: StaticString) -> Bool {
        byteCount == text.utf8CodeUnitCount && starts(with: text)
    }

    /// Whether the bytes end with `suffix`.
    func ends(with suffix: [UInt8]) -> Bool {
        byteCount >= suffix.count
            && extracting(droppingFirst: byteCount - suffix.count).equals(suffix)
    }

    /// A copy of the bytes.
    var copied: [UInt8] { withUnsafeBytes { Array($0) } }
}

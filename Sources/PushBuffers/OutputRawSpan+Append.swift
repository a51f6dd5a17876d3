extension OutputRawSpan {
    /// Appends all bytes of `source`.
    ///
    /// - Precondition: `source` fits into the free capacity.
    @inlinable
    public mutating func append(contentsOf source: RawSpan) {
        precondition(source.byteCount <= freeCapacity, "no room for \(source.byteCount) bytes")
        source.withUnsafeBytes { bytes in
            withUnsafeMutableBytes { destination, initialized in
                let target = UnsafeMutableRawBufferPointer(rebasing: destination[initialized...])
                target.copyMemory(from: bytes)
                initialized += bytes.count
            }
        }
    }
}

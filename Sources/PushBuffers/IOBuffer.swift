/// A byte queue of fixed capacity between a session and a socket: appended at its end, consumed at
/// its start.
///
/// One allocation, made once. The bytes stay contiguous: what is unread moves to the front when
/// something is appended behind it. Touched by one thread at a time, its loop's.
public final class IOBuffer {
    /// The most bytes the buffer holds.
    public let capacity: Int
    // Inlinable throughout: a generic `append` of another module would else run unspecialised.
    @usableFromInline let storage: UnsafeMutableRawBufferPointer
    /// The unread bytes are `storage[start..<end]`.
    @usableFromInline var start = 0
    @usableFromInline var end = 0

    /// Makes an empty buffer.
    ///
    /// - Parameter capacity: The most bytes it holds, at least 1.
    public init(capacity: Int) {
        precondition(capacity > 0, "an IOBuffer needs room for a byte")
        self.capacity = capacity
        storage = .allocate(byteCount: capacity, alignment: 64)
    }

    deinit { storage.deallocate() }

    /// How many bytes are unread.
    @inlinable public var readableCount: Int { end - start }

    /// How many bytes can be appended.
    @inlinable public var writableCount: Int { capacity - (end - start) }

    /// Whether nothing is unread.
    @inlinable public var isEmpty: Bool { end == start }

    /// The unread bytes, oldest first; valid until the next change of the buffer.
    @inlinable public var readable: RawSpan {
        @_lifetime(borrow self)
        get {
            let span = RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: storage[start..<end]))
            return _overrideLifetime(span, borrowing: self)
        }
    }

    /// Lets `fill` append to the whole free space.
    ///
    /// What `fill` appended stays, even if it throws. `fill` must not touch the buffer.
    ///
    /// - Parameter fill: Gets an empty span of ``writableCount`` bytes.
    /// - Throws: What `fill` throws.
    @inlinable
    public func append<E: Error>(_ fill: (inout OutputRawSpan) throws(E) -> Void) throws(E) {
        if start > 0 { compact() }
        let free = UnsafeMutableRawBufferPointer(rebasing: storage[end...])
        var span = OutputRawSpan(buffer: free, initializedCount: 0)
        do throws(E) {
            try fill(&span)
        } catch {
            end += span.finalize(for: free)
            throw error
        }
        end += span.finalize(for: free)
    }

    /// Drops the oldest `count` unread bytes.
    ///
    /// - Parameter count: At most ``readableCount``.
    @inlinable
    public func consume(_ count: Int) {
        precondition(
            count >= 0 && count <= end - start,
            "consumed \(count) of \(end - start) bytes"
        )
        start += count
        if start == end { clear() }
    }

    /// Drops everything.
    @inlinable
    public func clear() {
        start = 0
        end = 0
    }

    @usableFromInline
    func compact() {
        let unread = UnsafeRawBufferPointer(rebasing: storage[start..<end])
        storage.copyMemory(from: unread)
        end -= start
        start = 0
    }
}

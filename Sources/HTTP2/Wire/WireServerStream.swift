/// A stream of the server, in a slot of its array.
struct WireServerStream {
    enum Phase: UInt8 {
        case free
        /// The request is not whole.
        case receiving
        /// The request is whole and in the queue of ``WireServerSession/nextRequest()``.
        case queued
        /// The caller has the request.
        case taken
        /// The answer's body waits for a window.
        case responding
    }

    var id: UInt32 = 0
    var phase = Phase.free
    /// Whether the stream was reset while the caller had its request, or was about to get it.
    var isDead = false
    /// Whether the method is HEAD, so that no body may go with the answer.
    var isHead = false
    var duplicatedField: RequestField?
    /// The next slot of the same bucket, or of the list of free ones; -1 for none.
    var next: Int32 = -1
    var sendWindow = 0
    var receiveWindow = 0
    /// Body bytes received.
    var received = 0
    /// Bytes that count against what a connection keeps of unfinished exchanges.
    var held = 0
    /// `content-length`; -1 where there is none.
    var expected = -1
}

/// A server stream's memory, kept from stream to stream.
struct WireServerStreamBytes {
    /// What is kept of the field memory when a stream is over.
    private static let keptFieldCapacity = 2048

    private(set) var fields: UnsafeMutableRawPointer?
    private var fieldCapacity = 0
    /// Bytes of the field memory that the stream's request uses.
    private var fieldCount = 0
    /// The ``WireRequestCache`` whose constant fields stand in `fields`; 0 for none.
    var cacheVersion: UInt64 = 0
    var body = WireHeldBytes()
    /// The answer's body as far as it waits.
    var response = WireHeldBytes()

    /// The field memory with room for `byteCount` bytes.
    @inline(__always)
    mutating func fieldRoom(_ byteCount: Int) -> UnsafeMutableRawPointer {
        fieldCount = byteCount
        if let fields, fieldCapacity >= byteCount { return fields }
        return growFields(byteCount)
    }

    @inline(never)
    private mutating func growFields(_ byteCount: Int) -> UnsafeMutableRawPointer {
        fields?.deallocate()
        fieldCapacity = max(512, byteCount * 2)
        cacheVersion = 0
        let memory = UnsafeMutableRawPointer.allocate(byteCount: fieldCapacity, alignment: 16)
        fields = memory
        return memory
    }

    /// Bytes of memory.
    var capacity: Int { fieldCapacity + body.capacity + response.capacity }

    /// Bytes that are kept for a request that is not whole.
    var requestByteCount: Int { fieldCount + body.count }

    /// Forgets the stream's bytes; lets go of memory that is unusually large.
    @inline(__always)
    mutating func clear() {
        body.clear()
        response.clear()
        if fieldCapacity > Self.keptFieldCapacity { deallocateFields() }
    }

    @inline(never)
    private mutating func deallocateFields() {
        fields?.deallocate()
        fields = nil
        fieldCapacity = 0
        cacheVersion = 0
    }

    mutating func deallocate() {
        deallocateFields()
        body.deallocate()
        response.deallocate()
    }
}

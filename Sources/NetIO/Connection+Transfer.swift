import COpenSSL
import CShims
import Glibc
public import PushBuffers

/// What one read brought.
public enum ReadResult: Equatable, Sendable {
    /// So many bytes, at least one.
    case bytes(Int)
    /// Nothing now: go on when the socket is readable.
    case wouldBlock
    /// The peer sends nothing any more.
    case endOfStream
}

/// What one write did.
public enum WriteResult: Equatable, Sendable {
    /// So many bytes were taken, at least one.
    case bytes(Int)
    /// None was: go on, with the same bytes, when the socket is writable.
    case wouldBlock
}

/// Why ``Connection/readAvailable(limit:using:_:)`` ended.
public enum ReadProgress: Equatable, Sendable {
    /// All is read: go on when the socket is readable.
    case drained
    /// The limit was reached: call again without waiting, since TLS may hold bytes of which the
    /// poller knows nothing.
    case moreToRead
    /// The peer sends nothing any more.
    case endOfStream
}

/// Why ``Connection/flush(_:refill:)`` ended.
public enum FlushProgress: Equatable, Sendable {
    /// Everything is written and there was nothing to refill.
    case drained
    /// The socket is full: go on when it is writable.
    case blocked
}

extension Connection {
    /// Reads what one call brings: under TLS at most one record.
    ///
    /// - Parameter output: Gets the bytes; must have room.
    /// - Returns: How many, or why none.
    /// - Throws: ``NetIOError``; the connection is then of no more use.
    public func read(into output: inout OutputRawSpan) throws(NetIOError) -> ReadResult {
        socket.pointee.is_drained = false
        return try receive(into: &output)
    }

    /// Writes what one call takes: under TLS at most one record.
    ///
    /// After ``WriteResult/wouldBlock`` the next call must begin with the same bytes.
    ///
    /// - Parameter bytes: The bytes; none does nothing.
    /// - Returns: How many were taken.
    /// - Throws: ``NetIOError``; the connection is then of no more use.
    public func write(_ bytes: RawSpan) throws(NetIOError) -> WriteResult {
        guard phase == .established else { throw .closed }
        guard bytes.byteCount > 0 else { return .bytes(0) }
        return try bytes.withUnsafeBytes { (bytes) throws(NetIOError) in
            try send(bytes)
        }
    }

    /// Reads until the socket is empty or `limit` is reached, handing over each piece.
    ///
    /// - Parameters:
    ///   - limit: After so many bytes no further read is begun, so that one busy connection does
    ///     not starve the others.
    ///   - buffer: Where pieces land; empty before and after. Best a record or more.
    ///   - take: Gets each piece; the span is valid during the call alone.
    /// - Returns: Whether all was read.
    /// - Throws: ``NetIOError``; the connection is then of no more use.
    public func readAvailable(
        limit: Int,
        using buffer: IOBuffer,
        _ take: (RawSpan) -> Void
    ) throws(NetIOError) -> ReadProgress {
        socket.pointee.is_drained = false
        var total = 0
        while total < limit {
            var result = ReadResult.wouldBlock
            buffer.clear()
            try buffer.append { (output: inout OutputRawSpan) throws(NetIOError) in
                result = try receive(into: &output)
            }
            switch result {
            case .bytes(let count):
                total += count
                take(buffer.readable)
                buffer.clear()
            case .wouldBlock: return .drained
            case .endOfStream: return .endOfStream
            }
        }
        return .moreToRead
    }

    /// Writes `output` and all that `refill` brings, in full records, until the socket is full.
    ///
    /// - Parameters:
    ///   - output: Bytes to write; keeps what the socket did not take. At least two records large,
    ///     so that a frame that crosses a record's end does not shorten it.
    ///   - refill: Appends what else is to be written, or nothing.
    /// - Returns: Whether all was written.
    /// - Throws: ``NetIOError``; the connection is then of no more use.
    public func flush(
        _ output: IOBuffer,
        refill: (inout OutputRawSpan) -> Void
    ) throws(NetIOError) -> FlushProgress {
        guard phase == .established else { throw .closed }
        while true {
            // A short record costs the peer as much as a full one.
            if output.readableCount < Self.recordCapacity, output.writableCount > 0 {
                output.append { (free: inout OutputRawSpan) in refill(&free) }
            }
            guard output.readableCount > 0 else { return .drained }
            // The next record follows at once: this one need not end in a small segment with its own
            // way through the stack. A plain write passes all there is.
            socket.pointee.has_more = ssl != nil && output.readableCount > Self.recordCapacity
            defer { socket.pointee.has_more = false }
            guard case .bytes(let count) = try write(output.readable) else { return .blocked }
            output.consume(count)
        }
    }

    private func receive(into output: inout OutputRawSpan) throws(NetIOError) -> ReadResult {
        guard phase == .established else { throw .closed }
        return try output.withUnsafeMutableBytes { (buffer, initialized) throws(NetIOError) in
            let free = UnsafeMutableRawBufferPointer(rebasing: buffer[initialized...])
            precondition(!free.isEmpty, "a read needs room")
            let result = try receive(free)
            if case .bytes(let count) = result { initialized += count }
            return result
        }
    }

    private func receive(
        _ free: UnsafeMutableRawBufferPointer
    ) throws(NetIOError) -> ReadResult {
        guard let ssl else {
            let count = cps_socket_receive(socket, free.baseAddress, free.count)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .endOfStream }
            guard socket.pointee.error == EAGAIN else { throw brokenSocket() }
            return .wouldBlock
        }
        var count = 0
        ERR_clear_error()
        let status = SSL_read_ex(ssl, free.baseAddress, free.count, &count)
        if status == 1 { return .bytes(count) }
        switch SSL_get_error(ssl, status) {
        case SSL_ERROR_WANT_READ: return .wouldBlock
        case SSL_ERROR_ZERO_RETURN: return .endOfStream
        default: throw transferFailure(ssl, status)
        }
    }

    private func send(_ bytes: UnsafeRawBufferPointer) throws(NetIOError) -> WriteResult {
        guard let ssl else {
            let count = cps_socket_send(socket, bytes.baseAddress, bytes.count)
            if count >= 0 { return .bytes(count) }
            guard socket.pointee.error == EAGAIN else { throw brokenSocket() }
            return .wouldBlock
        }
        var count = 0
        ERR_clear_error()
        let length = min(bytes.count, Self.recordCapacity)
        let status = SSL_write_ex(ssl, bytes.baseAddress, length, &count)
        if status == 1 { return .bytes(count) }
        switch SSL_get_error(ssl, status) {
        case SSL_ERROR_WANT_WRITE: return .wouldBlock
        default: throw transferFailure(ssl, status)
        }
    }

    @inline(never)
    private func transferFailure(_ ssl: OpaquePointer, _ status: CInt) -> NetIOError {
        switch SSL_get_error(ssl, status) {
        case SSL_ERROR_SYSCALL: brokenSocket()
        default: .tls(address: "\(peerAddress)", detail: takeOpenSSLErrors())
        }
    }
}

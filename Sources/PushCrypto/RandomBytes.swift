import COpenSSL

/// Draws bytes from OpenSSL's random generator.
///
/// A call costs more than half a microsecond whatever its size: draw kilobytes at once.
///
/// - Parameter count: How many bytes.
/// - Returns: The bytes.
/// - Throws: ``CryptoError/openSSL(purpose:detail:)`` where the generator has no entropy.
public func randomBytes(_ count: Int) throws(CryptoError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    ERR_clear_error()
    guard RAND_bytes(&bytes, CInt(count)) == 1 else {
        throw .openSSL(purpose: "draw random bytes", detail: takeOpenSSLErrors())
    }
    return bytes
}

/// Fills `output` with bytes from OpenSSL's random generator, up to its capacity.
///
/// - Parameter output: Gets the bytes.
/// - Throws: ``CryptoError/openSSL(purpose:detail:)`` where the generator has no entropy.
public func fillWithRandomBytes(_ output: inout OutputRawSpan) throws(CryptoError) {
    ERR_clear_error()
    let isFilled = output.withUnsafeMutableBytes { buffer, initialized in
        guard initialized < buffer.count else { return true }
        let free = UnsafeMutableRawBufferPointer(rebasing: buffer[initialized...])
        let start = free.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard RAND_bytes(start, CInt(free.count)) == 1 else { return false }
        initialized = buffer.count
        return true
    }
    guard isFilled else {
        throw .openSSL(purpose: "draw random bytes", detail: takeOpenSSLErrors())
    }
}

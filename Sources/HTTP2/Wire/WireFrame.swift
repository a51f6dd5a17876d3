/// One HTTP/2 frame (RFC 9113 section 4.1) as it lies in memory.
///
/// `payload` is valid until the splitter is asked for the next frame.
struct WireFrame {
    static let headerSize = 9

    /// A frame's type byte; types that this engine does not know are ignored.
    enum Kind {
        static let data: UInt8 = 0
        static let headers: UInt8 = 1
        static let priority: UInt8 = 2
        static let rstStream: UInt8 = 3
        static let settings: UInt8 = 4
        static let pushPromise: UInt8 = 5
        static let ping: UInt8 = 6
        static let goAway: UInt8 = 7
        static let windowUpdate: UInt8 = 8
        static let continuation: UInt8 = 9
    }

    /// Flag bits; their meaning depends on the type.
    enum Flag {
        static let endStream: UInt8 = 0x1
        static let ack: UInt8 = 0x1
        static let endHeaders: UInt8 = 0x4
        static let padded: UInt8 = 0x8
        static let priority: UInt8 = 0x20
    }

    var kind: UInt8
    var flags: UInt8
    var streamID: UInt32
    var payload: UnsafeRawPointer
    var count: Int

    @inline(__always)
    func has(_ flag: UInt8) -> Bool { flags & flag != 0 }

    /// Takes padding away (sections 6.1 and 6.2).
    ///
    /// - Throws: PROTOCOL_ERROR where the padding is as long as the payload or longer.
    mutating func removePadding() throws(WireFault) {
        guard has(Flag.padded) else { return }
        guard count > 0 else {
            throw WireFault(.frameSizeError, "a padded frame without a pad length")
        }
        let padding = Int(payload.load(as: UInt8.self))
        guard padding < count else {
            throw WireFault(.protocolError, "padding as long as the payload or longer")
        }
        payload += 1
        count -= 1 + padding
    }

    /// Takes the priority fields off a HEADERS frame.
    ///
    /// - Returns: The stream that this one depends on; nil where the frame has no such fields.
    /// - Throws: FRAME_SIZE_ERROR where the payload has no room for them.
    mutating func removePriority() throws(WireFault) -> UInt32? {
        guard has(Flag.priority) else { return nil }
        guard count >= 5 else {
            throw WireFault(.frameSizeError, "HEADERS too short for its priority")
        }
        let dependency = payload.loadBigEndian(as: UInt32.self) & 0x7FFF_FFFF
        payload += 5
        count -= 5
        return dependency
    }

    @inline(__always)
    static func writeHeader(
        to target: UnsafeMutableRawPointer,
        count: Int,
        kind: UInt8,
        flags: UInt8,
        streamID: UInt32
    ) {
        target.storeBigEndian(UInt32(truncatingIfNeeded: count) << 8 | UInt32(kind))
        target.storeBytes(of: flags, toByteOffset: 4, as: UInt8.self)
        (target + 5).storeBigEndian(streamID)
    }
}

extension UnsafeRawPointer {
    @inline(__always)
    func loadBigEndian<T: FixedWidthInteger & BitwiseCopyable>(as type: T.Type) -> T {
        T(bigEndian: loadUnaligned(as: type))
    }
}

extension UnsafeMutableRawPointer {
    @inline(__always)
    func storeBigEndian<T: FixedWidthInteger & BitwiseCopyable>(_ value: T) {
        storeBytes(of: value.bigEndian, as: T.self)
    }
}

#if canImport(Glibc)
import Glibc
#endif

/// What a field name means to this engine; a table entry keeps it, so that an indexed field costs
/// no comparison.
///
/// The first values are those of ``RequestField``.
enum HPACKFieldName: UInt8 {
    case method
    case scheme
    case authority
    case path
    case authorization
    case apnsTopic
    case apnsPushType
    case apnsID
    case apnsExpiration
    case apnsPriority
    case apnsCollapseID
    case apnsChannelID
    case apnsRequestID
    case contentType
    case contentLength
    case status
    case retryAfter
    case te
    /// A field about the connection, which HTTP/2 forbids (RFC 9113 section 8.2.2).
    case connectionSpecific
    /// A name with a colon in front that RFC 9113 does not define.
    case unknownPseudo
    /// A name that RFC 9113 section 8.2.1 forbids.
    case malformed
    case other

    /// How many names have a place in a ``RequestView``.
    static let requestFieldCount = RequestField.allCases.count

    var isPseudo: Bool {
        switch self {
        case .method, .scheme, .authority, .path, .status, .unknownPseudo: true
        default: false
        }
    }

    init(_ name: UnsafeRawPointer, count: Int) {
        guard count > 0 else {
            self = .malformed
            return
        }
        if name.load(as: UInt8.self) == 0x3A {
            self = Self.pseudo(name, count)
            return
        }
        self = Self.isWellFormed(name, count) ? Self.regular(name, count) : .malformed
    }

    private static func pseudo(_ name: UnsafeRawPointer, _ count: Int) -> HPACKFieldName {
        switch count {
        case 5 where isEqual(name, ":path"): .path
        case 7 where isEqual(name, ":method"): .method
        case 7 where isEqual(name, ":scheme"): .scheme
        case 7 where isEqual(name, ":status"): .status
        case 10 where isEqual(name, ":authority"): .authority
        default: .unknownPseudo
        }
    }

    private static func regular(_ name: UnsafeRawPointer, _ count: Int) -> HPACKFieldName {
        switch count {
        case 2 where isEqual(name, "te"): .te
        case 7 where isEqual(name, "apns-id"): .apnsID
        case 7 where isEqual(name, "upgrade"): .connectionSpecific
        case 10 where isEqual(name, "apns-topic"): .apnsTopic
        case 10 where isEqual(name, "connection"): .connectionSpecific
        case 10 where isEqual(name, "keep-alive"): .connectionSpecific
        case 11 where isEqual(name, "retry-after"): .retryAfter
        case 12 where isEqual(name, "content-type"): .contentType
        case 13 where isEqual(name, "authorization"): .authorization
        case 13 where isEqual(name, "apns-priority"): .apnsPriority
        case 14 where isEqual(name, "apns-push-type"): .apnsPushType
        case 14 where isEqual(name, "content-length"): .contentLength
        case 15 where isEqual(name, "apns-expiration"): .apnsExpiration
        case 15 where isEqual(name, "apns-channel-id"): .apnsChannelID
        case 15 where isEqual(name, "apns-request-id"): .apnsRequestID
        case 16 where isEqual(name, "apns-collapse-id"): .apnsCollapseID
        case 16 where isEqual(name, "proxy-connection"): .connectionSpecific
        case 17 where isEqual(name, "transfer-encoding"): .connectionSpecific
        default: .other
        }
    }

    /// Whether `name` begins with the bytes of `text`, whose length the caller has compared.
    private static func isEqual(_ name: UnsafeRawPointer, _ text: StaticString) -> Bool {
        memcmp(name, text.utf8Start, text.utf8CodeUnitCount) == 0
    }

    private static func isWellFormed(_ name: UnsafeRawPointer, _ count: Int) -> Bool {
        for offset in 0..<count {
            let byte = name.load(fromByteOffset: offset, as: UInt8.self)
            if byte <= 0x20 || byte >= 0x7F || byte == 0x3A || (byte >= 0x41 && byte <= 0x5A) {
                return false
            }
        }
        return true
    }

    /// Whether a field value obeys RFC 9113 section 8.2.1: no NUL, CR or LF, and no space or tab at
    /// either end.
    @inline(__always)
    static func isWellFormed(value: UnsafeRawPointer, count: Int) -> Bool {
        guard count > 0 else { return true }
        let first = value.load(as: UInt8.self)
        let last = value.load(fromByteOffset: count - 1, as: UInt8.self)
        if first == 0x20 || first == 0x09 || last == 0x20 || last == 0x09 { return false }
        var offset = 0
        var found: UInt64 = 0
        while offset + 8 <= count {
            let word = value.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            found |= zeroBytes(word)
            found |= zeroBytes(word ^ 0x0A0A_0A0A_0A0A_0A0A)
            found |= zeroBytes(word ^ 0x0D0D_0D0D_0D0D_0D0D)
            offset += 8
        }
        while offset < count {
            let byte = value.load(fromByteOffset: offset, as: UInt8.self)
            if byte == 0 || byte == 0x0A || byte == 0x0D { return false }
            offset += 1
        }
        return found == 0
    }

    /// Not zero where a byte of `word` is zero.
    @inline(__always)
    private static func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }
}

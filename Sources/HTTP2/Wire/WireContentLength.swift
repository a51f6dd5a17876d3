/// The `content-length` at the end of a request's header block (RFC 9110 section 8.6).
///
/// A literal without indexing under the static table's name: lengths differ from push to push, and an
/// entry for each would drive what is constant out of the peer's table.
struct WireContentLength {
    /// The body's bytes.
    let bodyBytes: Int
    /// The field, its first byte lowest.
    private let bytes: UInt64
    /// The bytes that the field takes.
    let count: Int

    /// The bytes that ``write(to:)`` touches.
    static let room = 8
    /// The longest body whose field fits in ``room``.
    static let mostBodyBytes = 99_999
    /// The static table's index of the name, with the prefix of 4 bits full (RFC 7541 section 5.1).
    static let nameBytes: (first: UInt8, second: UInt8) = (0x0F, 0x0D)

    /// Makes the field for a body of `length` bytes, at most ``mostBodyBytes``.
    @inline(__always)
    init(_ length: Int) {
        bodyBytes = length
        var rest = UInt32(truncatingIfNeeded: length)
        var digits: UInt64 = 0
        var digitCount = 0
        repeat {
            digits = digits << 8 | UInt64(0x30 + rest % 10)
            rest /= 10
            digitCount += 1
        } while rest > 0
        let head = UInt64(digitCount) << 16 | UInt64(Self.nameBytes.second) << 8
        bytes = digits << 24 | head | UInt64(Self.nameBytes.first)
        count = 3 + digitCount
    }

    /// Writes the field, and something else behind it within ``room``.
    @inline(__always)
    func write(to target: UnsafeMutableRawPointer) {
        target.storeBytes(of: bytes.littleEndian, as: UInt64.self)
    }

    /// Whether a field begins here that has the name as ``append(_:to:)`` writes it, or as a peer does
    /// that lets nobody index it.
    static func isName(_ field: UnsafeRawPointer) -> Bool {
        field.load(as: UInt8.self) & ~0x10 == nameBytes.first
            && field.load(fromByteOffset: 1, as: UInt8.self) == nameBytes.second
    }

    /// Appends the field for a body of any length.
    static func append(_ length: Int, to block: inout WireBuffer) {
        block.append(nameBytes.first)
        block.append(nameBytes.second)
        var scale = 1
        var digitCount = 1
        while length / scale >= 10 {
            scale *= 10
            digitCount += 1
        }
        block.appendInteger(digitCount, prefix: 7, first: 0)
        while scale > 0 {
            block.append(UInt8(truncatingIfNeeded: 0x30 + length / scale % 10))
            scale /= 10
        }
    }
}

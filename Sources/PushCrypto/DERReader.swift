/// Steps through DER (X.690 section 10): definite lengths in their shortest form only.
struct DERReader {
    enum Tag: UInt8 {
        case integer = 0x02
        case bitString = 0x03
        case objectIdentifier = 0x06
        case sequence = 0x30
    }

    private var rest: Slice<UnsafeRawBufferPointer>

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

    /// The contents of the next element.
    mutating func bytes(tag: Tag) throws(PublicKeyFault) -> UnsafeRawBufferPointer {
        guard rest.popFirst() == tag.rawValue, let first = rest.popFirst() else {
            throw .notSubjectPublicKeyInfo
        }
        var count = Int(first)
        if first >= 0x80 {
            let width = Int(first & 0x7F)
            // Two bytes of length are more than a key needs; a leading zero is not the shortest.
            guard width == 1 || width == 2, rest.count >= width, rest.first != 0 else {
                throw .notSubjectPublicKeyInfo
            }
            count = rest.prefix(width).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(width)
            guard count >= 0x80 else { throw .notSubjectPublicKeyInfo }
        }
        guard count <= rest.count else { throw .notSubjectPublicKeyInfo }
        let contents = UnsafeRawBufferPointer(rebasing: rest.prefix(count))
        rest = rest.dropFirst(count)
        return contents
    }

    mutating func sequence() throws(PublicKeyFault) -> DERReader {
        DERReader(try bytes(tag: .sequence))
    }

    /// The magnitude of the next integer, without a leading zero byte; empty for zero.
    mutating func positiveInteger() throws(PublicKeyFault) -> UnsafeRawBufferPointer {
        let bytes = try bytes(tag: .integer)
        guard let first = bytes.first, first < 0x80 else { throw .notSubjectPublicKeyInfo }
        guard first == 0 else { return bytes }
        if bytes.count > 1, bytes[1] < 0x80 { throw .notSubjectPublicKeyInfo }
        return UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    }

    func requireEnd() throws(PublicKeyFault) {
        guard rest.isEmpty else { throw .notSubjectPublicKeyInfo }
    }
}

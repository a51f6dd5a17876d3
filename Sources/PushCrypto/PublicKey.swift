import PushModel

/// An RSA-2048 public key: modulus and exponent, 264 bytes.
public struct PublicKey: Sendable {
    /// The length of the modulus, in bytes.
    static let modulusCount = 256
    // No SubjectPublicKeyInfo of an RSA-2048 key with a short exponent comes near this; longer keys
    // are still told their size up to RSA-8192.
    private static let mostBytes = 1200

    /// The modulus, most significant byte first.
    var modulus: InlineArray<256, UInt8>
    /// The public exponent.
    public let exponent: UInt64

    init(modulus: InlineArray<256, UInt8>, exponent: UInt64) {
        self.modulus = modulus
        self.exponent = exponent
    }

    /// Reads a key as an app registers it: a SubjectPublicKeyInfo in DER, in base64 with line
    /// breaks or without padding (contract 3.1, 6.3).
    ///
    /// Reads the few fields itself: OpenSSL's decoder takes 100 µs a key. It refuses whatever that
    /// decoder refuses, and besides parameters other than NULL and bytes behind the key.
    ///
    /// - Parameter base64: The text's bytes.
    /// - Throws: ``PublicKeyFault``.
    public init(base64: RawSpan) throws(PublicKeyFault) {
        self = try base64.withUnsafeBytes { (text) throws(PublicKeyFault) in
            try PublicKey(base64: text)
        }
    }

    /// Reads a key as ``init(base64:)-(RawSpan)`` does.
    ///
    /// - Parameter text: The text's bytes.
    /// - Throws: ``PublicKeyFault``.
    public init(base64 text: UnsafeRawBufferPointer) throws(PublicKeyFault) {
        let result = withUnsafeTemporaryAllocation(
            byteCount: Self.mostBytes,
            alignment: 8
        ) { bytes -> Result<PublicKey, PublicKeyFault> in
            guard let count = Base64.decodeLeniently(text, into: bytes) else {
                return .failure(.notBase64)
            }
            let der = UnsafeRawBufferPointer(rebasing: bytes[..<count])
            return Result { () throws(PublicKeyFault) in try PublicKey(der: der) }
        }
        self = try result.get()
    }

    /// Reads a SubjectPublicKeyInfo (RFC 5280 section 4.1, RFC 3279 section 2.3.1).
    ///
    /// - Parameter der: The bytes, nothing behind them.
    /// - Throws: ``PublicKeyFault``.
    public init(der: UnsafeRawBufferPointer) throws(PublicKeyFault) {
        var outer = DERReader(der)
        var info = try outer.sequence()
        try outer.requireEnd()
        let algorithm = try info.bytes(tag: .sequence)
        guard algorithm.elementsEqual(Self.rsaAlgorithm) else {
            // A well-formed one of another kind is worth its own word.
            var parts = DERReader(algorithm)
            let identifier = try parts.bytes(tag: .objectIdentifier)
            let isRSA = identifier.elementsEqual(Self.rsaAlgorithm.dropFirst(2).prefix(9))
            throw isRSA ? .notSubjectPublicKeyInfo : .notRSA
        }
        let bits = try info.bytes(tag: .bitString)
        try info.requireEnd()
        guard bits.first == 0 else { throw .notSubjectPublicKeyInfo }
        var content = DERReader(UnsafeRawBufferPointer(rebasing: bits.dropFirst()))
        var key = try content.sequence()
        try content.requireEnd()
        let modulus = try key.positiveInteger()
        let exponent = try key.positiveInteger()
        try key.requireEnd()
        guard let top = modulus.first, let last = modulus.last else { throw .unusable }
        let bitCount = modulus.count * 8 - top.leadingZeroBitCount
        guard bitCount == Self.modulusCount * 8 else { throw .wrongSize(bits: bitCount) }
        guard exponent.count <= MemoryLayout<UInt64>.size else { throw .unusable }
        self.exponent = exponent.reduce(0) { $0 << 8 | UInt64($1) }
        guard last & 1 == 1, self.exponent & 1 == 1, self.exponent > 1 else { throw .unusable }
        self.modulus = InlineArray { modulus[$0] }
    }

    /// rsaEncryption with NULL: what stands inside the AlgorithmIdentifier.
    private static let rsaAlgorithm: [UInt8] = [
        0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
    ]

    /// A number that equal keys share.
    public var fingerprint: UInt64 {
        modulus.span.withUnsafeBytes { Self.hash(modulus: $0, exponent: exponent) }
    }

    /// The hash of a key's parts.
    static func hash(modulus: UnsafeRawBufferPointer, exponent: UInt64) -> UInt64 {
        var hash = exponent
        for offset in stride(from: 0, to: modulusCount, by: MemoryLayout<UInt64>.size) {
            let word = modulus.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            hash = SplitMix64.mix(hash ^ word)
        }
        return hash
    }
}

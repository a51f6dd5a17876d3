import COpenSSL
public import PushModel

/// What one push's content is sealed with.
public struct SealingRequest: Equatable, Sendable {
    /// The install's key.
    public var key: SealingKey
    /// The place of the push's prepared secret; nil to make one in passing.
    public var preparedPlace: Int?

    /// Names what to seal with.
    ///
    /// - Parameters:
    ///   - key: The install's key.
    ///   - preparedPlace: The place of the push's prepared secret; nil to make one in passing.
    public init(key: SealingKey, preparedPlace: Int? = nil) {
        self.key = key
        self.preparedPlace = preparedPlace
    }
}

/// Encrypts the content of pushes (contract 3.2, 6.3): AES-128-CBC with a fresh key and IV for
/// every push, both wrapped under the install's RSA key.
///
/// Keeps everything it needs from push to push, so that none allocates. Owned by one thread at a
/// time, a render queue's as a rule.
public final class ContentSealer {
    /// The keys that requests name.
    public let keys: PublicKeyStore
    /// The secrets that were made before, if any.
    public let prepared: PreparedSecrets?
    /// How many secrets were made in passing.
    public private(set) var madeInPassing = 0

    private let random = RandomPool()
    private let wrapper: KeyWrapper
    private let cipher: ContentCipher
    private let secret: UnsafeMutablePointer<UInt8>
    private let wrapped: UnsafeMutablePointer<UInt8>
    private var text: UnsafeMutablePointer<UInt8>
    private var textCapacity = 8192

    /// Makes a sealer.
    ///
    /// - Parameters:
    ///   - keys: The audience's public keys, complete.
    ///   - prepared: The secrets that were made before, if any.
    /// - Throws: ``CryptoError/openSSL(purpose:detail:)`` where OpenSSL lacks an algorithm.
    public init(keys: PublicKeyStore, prepared: PreparedSecrets? = nil) throws(CryptoError) {
        self.keys = keys
        self.prepared = prepared
        wrapper = try KeyWrapper()
        cipher = try ContentCipher()
        secret = .allocate(capacity: KeyWrapper.secretCount)
        wrapped = .allocate(capacity: SealedSizes.wrappedCount)
        text = .allocate(capacity: textCapacity)
    }

    deinit {
        OPENSSL_cleanse(secret, KeyWrapper.secretCount)
        secret.deallocate()
        wrapped.deallocate()
        text.deallocate()
    }

    /// Appends the wrapped secret, a separator, and the sealed content, both in base64.
    ///
    /// A prepared place that was used before is passed over: a secret is made in passing.
    ///
    /// - Parameters:
    ///   - content: The plaintext.
    ///   - request: What to seal with.
    ///   - separator: What stands between secret and content.
    ///   - output: Where it goes.
    /// - Precondition: `output` has room for ``SealedSizes``' lengths and the separator.
    /// - Throws: ``CryptoError/openSSL(purpose:detail:)``; `output` is as it was.
    public func seal(
        _ content: RawSpan,
        with request: SealingRequest,
        separator: RawSpan,
        into output: inout OutputRawSpan
    ) throws(CryptoError) {
        try seal(
            contentByteCount: content.byteCount,
            with: request,
            separator: separator,
            into: &output
        ) { target in
            content.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(start: target, count: $0.count).copyMemory(from: $0)
            }
        }
    }

    /// Seals content that is written straight into the sealer's memory.
    ///
    /// - Parameters:
    ///   - count: The plaintext's length in bytes.
    ///   - request: What to seal with.
    ///   - separator: What stands between secret and content.
    ///   - output: Where it goes.
    ///   - writeContent: Writes exactly `count` bytes of plaintext to its argument.
    /// - Precondition: `output` has room for ``SealedSizes``' lengths and the separator.
    /// - Throws: ``CryptoError/openSSL(purpose:detail:)``; `output` is as it was.
    public func seal(
        contentByteCount count: Int,
        with request: SealingRequest,
        separator: RawSpan,
        into output: inout OutputRawSpan,
        writeContent: (UnsafeMutableRawPointer) -> Void
    ) throws(CryptoError) {
        let cipherCount = SealedSizes.cipherByteCount(plaintext: count)
        let contentCount = SealedSizes.base64Count(cipherCount)
        let size = SealedSizes.secretBase64Count + separator.byteCount + contentCount
        precondition(size <= output.freeCapacity, "no room for \(size) bytes of sealed content")
        reserve(cipherCount)
        writeContent(UnsafeMutableRawPointer(text))
        let padding = cipherCount - count
        (text + count).update(repeating: UInt8(truncatingIfNeeded: padding), count: padding)
        try output.withUnsafeMutableBytes { (bytes, initialized) throws(CryptoError) in
            guard let base = bytes.baseAddress else { return }
            let start = base + initialized
            try encryptText(cipherCount, with: request, secretTo: start)
            var cursor = start + SealedSizes.secretBase64Count
            separator.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(start: cursor, count: $0.count).copyMemory(from: $0)
            }
            cursor += separator.byteCount
            Base64.encode(UnsafeRawPointer(text), count: cipherCount, to: cursor)
            initialized += size
        }
    }

    /// Fills a place of prepared secrets.
    ///
    /// - Parameters:
    ///   - place: The place, empty so far.
    ///   - secrets: What holds it.
    ///   - key: The key of the install that the push of this place goes to.
    /// - Throws: ``CryptoError/openSSL(purpose:detail:)``; the place stays empty.
    public func prepare(
        _ place: Int,
        of secrets: PreparedSecrets,
        for key: SealingKey
    ) throws(CryptoError) {
        try secrets.fill(place) { (secret, target) throws(CryptoError) in
            try random.take(KeyWrapper.secretCount, to: secret)
            try wrapper.wrap(secret, under: key, of: keys, random: random, into: wrapped)
            Base64.encode(wrapped, count: SealedSizes.wrappedCount, to: target)
        }
    }

    /// Encrypts the padded text where it is, and writes the secret in base64.
    private func encryptText(
        _ count: Int,
        with request: SealingRequest,
        secretTo target: UnsafeMutableRawPointer
    ) throws(CryptoError) {
        if let place = request.preparedPlace, let prepared,
            try prepared.use(
                place,
                { (secret, wrapped) throws(CryptoError) in
                    try cipher.encrypt(text, count: count, secret: secret)
                    target.copyMemory(from: wrapped, byteCount: SealedSizes.secretBase64Count)
                }
            )
        {
            return
        }
        madeInPassing &+= 1
        defer { OPENSSL_cleanse(secret, KeyWrapper.secretCount) }
        try random.take(KeyWrapper.secretCount, to: secret)
        try wrapper.wrap(secret, under: request.key, of: keys, random: random, into: wrapped)
        try cipher.encrypt(text, count: count, secret: secret)
        Base64.encode(wrapped, count: SealedSizes.wrappedCount, to: target)
    }

    private func reserve(_ count: Int) {
        guard count > textCapacity else { return }
        text.deallocate()
        textCapacity = count * 2
        text = .allocate(capacity: textCapacity)
    }
}

/// One install in an ``InstallTable``: a view without ownership, valid while the table lives.
public struct InstallRecord {
    static let headerBytes = 8
    static let badgeFlag: UInt8 = 1
    static let sandboxFlag: UInt8 = 2
    static let keyFlag: UInt8 = 4
    static let pkcs1Flag: UInt8 = 8

    private let base: UnsafeRawPointer

    init(base: UnsafeRawPointer) { self.base = base }

    private var flags: UInt8 { base.load(fromByteOffset: 2, as: UInt8.self) }
    private var badgeBytes: Int { flags & Self.badgeFlag == 0 ? 0 : MemoryLayout<Int64>.size }
    private var keyBytes: Int { flags & Self.keyFlag == 0 ? 0 : MemoryLayout<UInt32>.size }
    private var tokenOffset: Int { Self.headerBytes + badgeBytes + keyBytes }
    private var tokenLength: Int { Int(base.load(fromByteOffset: 4, as: UInt16.self)) }

    /// The index of the device's language in the table's `languages`.
    public var languageIndex: UInt16 { base.load(as: UInt16.self) }

    /// The APNs environment of the install's build.
    public var environment: APNsEnvironment {
        flags & Self.sandboxFlag == 0 ? .production : .sandbox
    }

    /// The badge for this install, if it has one.
    public var badge: Int64? {
        flags & Self.badgeFlag == 0
            ? nil : base.load(fromByteOffset: Self.headerBytes, as: Int64.self)
    }

    /// The public key that this install's content is encrypted for, if it has one.
    public var key: SealingKey? {
        guard flags & Self.keyFlag != 0 else { return nil }
        let offset = Self.headerBytes + badgeBytes
        return SealingKey(
            index: base.load(fromByteOffset: offset, as: UInt32.self),
            padding: flags & Self.pkcs1Flag == 0 ? .oaepSHA256 : .pkcs1
        )
    }

    /// The device token's hex digits as given.
    public var token: RawSpan {
        @_lifetime(borrow self)
        get { span(at: tokenOffset, count: tokenLength) }
    }

    /// The user id; empty where the install has none.
    public var uid: RawSpan {
        @_lifetime(borrow self)
        get {
            span(
                at: tokenOffset + tokenLength,
                count: Int(base.load(fromByteOffset: 6, as: UInt16.self))
            )
        }
    }

    // The bytes belong to the table, which outlives every record by contract.
    @_lifetime(borrow self)
    private func span(at offset: Int, count: Int) -> RawSpan {
        let span = unsafe RawSpan(_unsafeStart: base + offset, byteCount: count)
        return unsafe _overrideLifetime(span, borrowing: self)
    }
}

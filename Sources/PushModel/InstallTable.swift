/// The audience in memory: one compact record an install, in the order of its source.
///
/// Filled by one thread, then read by any number; nothing may be appended once it is shared.
/// A record of a 64-digit token costs 76 bytes, with badge and an 18-byte uid 108; a key adds 4 to 8.
public final class InstallTable: @unchecked Sendable {
    // Safe to share: after the fill every stored property is only read.

    /// Why an install cannot be taken into the table.
    public enum AppendError: Error, Equatable, Sendable {
        /// The token or the uid is longer than a record can hold (65,535 bytes).
        case fieldTooLong
        /// There are more distinct language strings than a record can name (65,535).
        case tooManyLanguages
        /// The records take more bytes than an offset can name (32 GiB).
        case tableFull
    }

    /// The distinct device languages as the source spells them; index 0 stands for none.
    public private(set) var languages: [String] = [""]
    /// The largest badge of the audience; nil where no install has one.
    public private(set) var widestBadge: Int64?
    /// The longest uid of the audience in bytes, its JSON escapes counted.
    public private(set) var longestUID = 0
    /// The installs that have no uid.
    public private(set) var installsWithoutUID = 0
    /// The longest token of the audience, in bytes.
    public private(set) var longestToken = 0
    /// The number of installs with a key.
    public private(set) var installsWithKey = 0

    private static let chunkBytes = 1 << 22
    private static let alignmentShift = 3
    private static let chunkShift: UInt32 = 19
    private static let mostChunks = 1 << (UInt32.bitWidth - Int(chunkShift))
    // More than any audience of one machine; a larger wish grows as it is filled.
    private static let mostReserved = 1 << 28
    private var chunks: [UnsafeMutableRawPointer] = []
    private var used = InstallTable.chunkBytes
    private var offsets: [UInt32] = []
    private var languageIndices: [String: UInt16] = ["": 0]

    /// Makes an empty table.
    public init() {}

    deinit {
        for chunk in chunks { chunk.deallocate() }
    }

    /// The number of installs.
    public var count: Int { offsets.count }

    /// The bytes that the table takes, for reports.
    public var byteCount: Int {
        chunks.count * Self.chunkBytes + offsets.capacity * MemoryLayout<UInt32>.stride
    }

    /// Reserves room for `count` installs' offsets, so that a known audience never regrows.
    public func reserve(count: Int) { offsets.reserveCapacity(min(count, Self.mostReserved)) }

    /// The index of a language string, added when it is new.
    ///
    /// - Parameter language: A device's language as its source spells it; empty for none.
    /// - Returns: The index that records name it by.
    /// - Throws: ``AppendError/tooManyLanguages``.
    public func intern(language: String) throws(AppendError) -> UInt16 {
        if let index = languageIndices[language] { return index }
        guard let index = UInt16(exactly: languages.count) else { throw .tooManyLanguages }
        languages.append(language)
        languageIndices[language] = index
        return index
    }

    /// Appends one install.
    ///
    /// - Parameters:
    ///   - token: The device token's hex digits, kept as given.
    ///   - languageIndex: An index that ``intern(language:)`` returned.
    ///   - environment: The environment of the install's build.
    ///   - badge: The badge for this install, if it has one.
    ///   - uid: The user id; empty for none.
    ///   - key: The public key to encrypt for; nil for none.
    /// - Throws: ``AppendError/fieldTooLong`` or ``AppendError/tableFull``; the table is unchanged.
    public func append(
        token: RawSpan,
        languageIndex: UInt16,
        environment: APNsEnvironment,
        badge: Int64?,
        uid: RawSpan,
        key: SealingKey? = nil
    ) throws(AppendError) {
        guard let tokenLength = UInt16(exactly: token.byteCount),
            let uidLength = UInt16(exactly: uid.byteCount)
        else { throw .fieldTooLong }
        let badgeBytes = badge == nil ? 0 : MemoryLayout<Int64>.size
        let keyBytes = key == nil ? 0 : MemoryLayout<UInt32>.size
        let fixedBytes = InstallRecord.headerBytes + badgeBytes + keyBytes
        let size = (fixedBytes + token.byteCount + uid.byteCount + 7) & ~7
        if used + size > Self.chunkBytes {
            guard chunks.count < Self.mostChunks else { throw .tableFull }
            chunks.append(.allocate(byteCount: Self.chunkBytes, alignment: 8))
            used = 0
        }
        let record = chunks[chunks.count - 1] + used
        var flags: UInt8 = 0
        if environment == .sandbox { flags |= InstallRecord.sandboxFlag }
        if badge != nil { flags |= InstallRecord.badgeFlag }
        if let key {
            flags |= InstallRecord.keyFlag
            if key.padding == .pkcs1 { flags |= InstallRecord.pkcs1Flag }
        }
        record.storeBytes(of: languageIndex, toByteOffset: 0, as: UInt16.self)
        record.storeBytes(of: flags, toByteOffset: 2, as: UInt8.self)
        record.storeBytes(of: tokenLength, toByteOffset: 4, as: UInt16.self)
        record.storeBytes(of: uidLength, toByteOffset: 6, as: UInt16.self)
        var cursor = record + InstallRecord.headerBytes
        if let badge {
            cursor.storeBytes(of: badge, as: Int64.self)
            cursor += badgeBytes
            widestBadge = max(widestBadge ?? badge, badge)
        }
        if let key {
            cursor.storeBytes(of: key.index, as: UInt32.self)
            cursor += keyBytes
            installsWithKey += 1
        }
        token.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress {
                cursor.copyMemory(from: base, byteCount: bytes.count)
            }
        }
        cursor += token.byteCount
        uid.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress {
                cursor.copyMemory(from: base, byteCount: bytes.count)
            }
        }
        let position = UInt32(truncatingIfNeeded: used >> Self.alignmentShift)
        offsets.append(UInt32(chunks.count - 1) << Self.chunkShift | position)
        used += size
        longestUID = max(longestUID, JSONEscapes.byteCount(of: uid))
        if uid.isEmpty { installsWithoutUID += 1 }
        longestToken = max(longestToken, token.byteCount)
    }

    /// The record of one install, valid as long as the table lives.
    ///
    /// - Precondition: `index` is in `0..<count`.
    public func record(at index: Int) -> InstallRecord {
        let offset = offsets[index]
        let position = Int(offset & (1 << Self.chunkShift - 1)) << Self.alignmentShift
        return InstallRecord(
            base: UnsafeRawPointer(chunks[Int(offset >> Self.chunkShift)] + position)
        )
    }
}

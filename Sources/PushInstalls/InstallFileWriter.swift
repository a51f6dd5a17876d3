import Glibc
import PushModel

/// Writes a synthetic population as an install file that ``InstallFileReader`` reads.
///
/// The installs are made and written one after the other: memory does not depend on their number.
public struct InstallFileWriter: ~Copyable {
    private static let bufferBytes = 1 << 16
    // The longest line: every constant part, both texts and a key at their longest, a badge.
    private static let longestLine = 1 << 11

    private let descriptor: Int32
    private let name: String
    private let format: InstallFileFormat
    private let buffer: UnsafeMutableRawPointer
    private var used = 0

    /// Takes a descriptor that stays the caller's.
    ///
    /// - Parameters:
    ///   - descriptor: An open descriptor to write to.
    ///   - name: What errors call it.
    ///   - format: The format to write.
    public init(descriptor: Int32, name: String, format: InstallFileFormat) {
        self.descriptor = descriptor
        self.name = name
        self.format = format
        buffer = .allocate(byteCount: Self.bufferBytes, alignment: 8)
    }

    deinit { buffer.deallocate() }

    /// Writes a whole population, with a header in CSV; ids and badges where it has them.
    ///
    /// - Parameters:
    ///   - population: The population.
    ///   - keys: The public keys that the installs share; nil for none.
    ///   - indices: Which installs, for example those of one shard; nil for all.
    /// - Throws: ``InstallFileError/cannotWrite(name:errorNumber:)``; what was written before stays.
    public mutating func write(
        _ population: SyntheticPopulation,
        keys: SyntheticKeys? = nil,
        indices: Range<Int>? = nil
    ) throws(InstallFileError) {
        let parts = LineParts(population, keys, format)
        append(parts.header)
        var maker = SyntheticInstallMaker(population: population)
        for index in (indices ?? 0..<population.count).clamped(to: 0..<population.count) {
            if used > Self.bufferBytes - Self.longestLine { try flush() }
            maker.make(index)
            append(parts.beforeToken)
            append(maker.token)
            append(parts.languages[maker.languageEntry])
            if let badge = maker.badge {
                append(parts.beforeBadge)
                append(badge: badge)
            }
            if population.hasUIDs {
                append(parts.beforeUID)
                append(maker.uid)
                append(parts.afterUID)
            }
            if let keys {
                append(parts.keys[index % parts.keys.count])
                append(maker.hasPKCS1(share: keys.pkcs1Share) ? parts.afterKey : parts.cipher)
            }
            append(parts.end)
        }
        try flush()
    }

    private mutating func append(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { append($0) }
    }

    private mutating func append(_ text: RawSpan) {
        text.withUnsafeBytes { append($0) }
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(start: buffer + used, count: bytes.count).copyMemory(
            from: bytes
        )
        used += bytes.count
    }

    /// Badges of a population have one or two digits.
    private mutating func append(badge: Int64) {
        if badge >= 10 { append(digit: badge / 10) }
        append(digit: badge % 10)
    }

    private mutating func append(digit: Int64) {
        buffer.storeBytes(of: 0x30 + UInt8(digit), toByteOffset: used, as: UInt8.self)
        used += 1
    }

    private mutating func flush() throws(InstallFileError) {
        var written = 0
        while written < used {
            let count = Glibc.write(descriptor, buffer + written, used - written)
            if count >= 0 {
                written += count
            } else if errno != EINTR {
                throw .cannotWrite(name: name, errorNumber: errno)
            }
        }
        used = 0
    }
}

/// The constant parts of a line; languages are tags, so neither format needs to escape them.
private struct LineParts {
    var header: [UInt8] = []
    var beforeToken: [UInt8] = []
    /// What stands between token and badge for each language of the mix.
    var languages: [[UInt8]]
    var beforeBadge: [UInt8]
    var beforeUID: [UInt8]
    var afterUID: [UInt8] = []
    /// What stands behind the uid for each public key.
    var keys: [[UInt8]] = []
    /// What ends a key without a cipher name, and with one.
    var afterKey: [UInt8]
    var cipher: [UInt8]
    var end: [UInt8]

    init(
        _ population: SyntheticPopulation,
        _ sharedKeys: SyntheticKeys?,
        _ format: InstallFileFormat
    ) {
        let names = population.languages.entries.map(\.language)
        let publicKeys = sharedKeys?.publicKeys ?? []
        switch format {
        case .csv:
            let columns =
                ["token", "language"] + (population.hasBadges ? ["badge"] : [])
                + (population.hasUIDs ? ["uid"] : [])
                + (sharedKeys != nil ? ["publicKey", "cipherName"] : [])
            header = Array((columns.joined(separator: ",") + "\n").utf8)
            languages = names.map { Array(("," + $0).utf8) }
            beforeBadge = Array(",".utf8)
            beforeUID = beforeBadge
            keys = publicKeys.map { Array(("," + $0).utf8) }
            afterKey = Array(",".utf8)
            cipher = Array(",\(WrapPadding.oaepName)".utf8)
            end = Array("\n".utf8)
        case .ndjson:
            beforeToken = Array(#"{"token":""#.utf8)
            languages = names.map { Array(($0.isEmpty ? "\"" : #"","language":"\#($0)""#).utf8) }
            beforeBadge = Array(#","badge":"#.utf8)
            beforeUID = Array(#","uid":""#.utf8)
            afterUID = Array("\"".utf8)
            keys = publicKeys.map { Array(#","publicKey":"\#($0)"#.utf8) }
            afterKey = Array("\"".utf8)
            cipher = Array(#"","cipherName":"\#(WrapPadding.oaepName)""#.utf8)
            end = Array("}\n".utf8)
        }
    }
}

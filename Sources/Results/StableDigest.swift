/// A 64-bit FNV-1a digest of named values that stays the same over processes and versions.
///
/// Names folders; keeps nobody out. The standard library's `Hasher` is seeded anew per process.
public struct StableDigest: Sendable {
    private var state: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Starts a digest.
    ///
    /// - Parameter domain: What is digested, so that other things with equal values differ.
    public init(_ domain: String) {
        add("", domain)
    }

    /// Adds a named value; an absent one changes nothing, so that new names keep old digests.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value, if there is one.
    public mutating func add(_ name: String, _ value: String?) {
        guard let value else {
            return
        }
        // 0 ends each part, so that no two lists of parts read alike.
        mix(name.utf8)
        mix(CollectionOfOne(0))
        mix(value.utf8)
        mix(CollectionOfOne(0))
    }

    /// Adds bytes, for example a message file's.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - bytes: The value.
    public mutating func add(_ name: String, bytes: [UInt8]) {
        add(name, "\(bytes.count)")
        mix(bytes)
    }

    private mutating func mix(_ bytes: some Sequence<UInt8>) {
        for byte in bytes {
            state = (state ^ UInt64(byte)) &* 0x100_0000_01b3
        }
    }

    /// The digest as sixteen hex digits.
    public var hex: String {
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

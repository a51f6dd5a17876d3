public import PushModel

/// An audience made from a seed: nothing but (seed, index) decides what an install is.
///
/// So it is the same on every machine, whatever the number of threads or shards that make it.
/// Tokens are 64 lowercase hex digits, one in a thousand 160 (contract 1.7), and never repeat.
public struct SyntheticPopulation: Sendable, Equatable {
    /// How many installs there are.
    public let count: Int
    /// What the installs are made from.
    public let seed: UInt64
    /// The languages the devices report.
    public let languages: LanguageMix
    /// Whether each install has a user id of 18 characters.
    public let hasUIDs: Bool
    /// Whether each install has a badge, 0 to 99.
    public let hasBadges: Bool

    /// Describes a population; nothing is made yet.
    ///
    /// - Parameters:
    ///   - count: How many installs; a negative count is taken as 0.
    ///   - seed: What the installs are made from.
    ///   - languages: The languages the devices report.
    ///   - hasUIDs: Whether each install has a user id of 18 characters.
    ///   - hasBadges: Whether each install has a badge, 0 to 99.
    public init(
        count: Int,
        seed: UInt64,
        languages: LanguageMix,
        hasUIDs: Bool = false,
        hasBadges: Bool = false
    ) {
        self.count = max(0, count)
        self.seed = seed
        self.languages = languages
        self.hasUIDs = hasUIDs
        self.hasBadges = hasBadges
    }

    /// Appends installs to a table.
    ///
    /// - Parameters:
    ///   - table: Where the installs go; its other installs stay.
    ///   - indices: Which installs, for example those of one shard; nil for all. Indices outside
    ///     the population are left out.
    /// - Throws: ``PushModel/InstallTable/AppendError`` where the table is full of languages or
    ///   bytes.
    public func fill(
        _ table: InstallTable,
        indices: Range<Int>? = nil
    ) throws(InstallTable.AppendError) {
        let wanted = (indices ?? 0..<count).clamped(to: 0..<count)
        table.reserve(count: table.count + wanted.count)
        var tableIndices: [UInt16] = []
        for entry in languages.entries {
            tableIndices.append(try table.intern(language: entry.language))
        }
        var maker = SyntheticInstallMaker(population: self)
        for index in wanted {
            maker.make(index)
            try table.append(
                token: maker.token,
                languageIndex: tableIndices[maker.languageEntry],
                environment: .production,
                badge: maker.badge,
                uid: maker.uid
            )
        }
    }
}

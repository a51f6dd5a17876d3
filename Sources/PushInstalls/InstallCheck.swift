import PushModel

/// What an install file holds, as ``InstallFileReader/check()`` counts it.
public struct InstallCheck: Sendable, Equatable {
    /// A language of the file.
    public struct LanguageCount: Sendable, Equatable {
        /// The language as the file spells it; empty for installs without one.
        public let language: String
        /// How many installs have it.
        public let installs: Int
    }

    /// A length of token.
    public struct TokenLength: Sendable, Equatable {
        /// The number of hex digits.
        public let digits: Int
        /// How many installs have a token of this length.
        public let installs: Int
    }

    /// What the file is called.
    public let name: String
    /// The counts of installs and of malformed lines, and the first faults.
    public let report: InstallFileReport
    /// The languages, the commonest first.
    public let languages: [LanguageCount]
    /// The lengths of tokens, the shortest first.
    public let tokenLengths: [TokenLength]
    /// How many installs repeat the token of an earlier one; they count as installs too.
    public let duplicateTokens: Int
    /// The lines of the first such installs.
    public let duplicateLines: [Int]
    /// How many installs belong to the sandbox environment; the others to production.
    public let sandboxInstalls: Int
    /// How many installs have a badge.
    public let installsWithBadge: Int
    /// How many installs have a user id.
    public let installsWithUID: Int
    /// How many different public keys there are.
    public let distinctKeys: Int
    /// How many of the installs with a key have no cipher name: PKCS#1 v1.5.
    public let installsWithPKCS1: Int
    /// The largest badge; nil where no install has one.
    public let widestBadge: Int64?
    /// The longest user id, in bytes.
    public let longestUID: Int

    /// Whether every line is an install and every token is there once.
    public var isClean: Bool { report.malformed == 0 && duplicateTokens == 0 }

    init(name: String, report: InstallFileReport, sink: CheckSink) {
        self.name = name
        self.report = report
        languages = zip(sink.names.languages, sink.languageCounts)
            .filter { $0.1 > 0 }
            .map { LanguageCount(language: $0.0, installs: $0.1) }
            .sorted { ($1.installs, $0.language) < ($0.installs, $1.language) }
        tokenLengths = sink.tokenLengths.enumerated()
            .filter { $0.element > 0 }
            .map { TokenLength(digits: $0.offset, installs: $0.element) }
        duplicateTokens = sink.duplicates
        duplicateLines = sink.duplicateLines
        sandboxInstalls = sink.sandbox
        installsWithBadge = sink.withBadge
        installsWithUID = sink.withUID
        distinctKeys = sink.distinctKeys
        installsWithPKCS1 = sink.pkcs1Keys
        widestBadge = sink.widestBadge
        longestUID = sink.longestUID
    }
}

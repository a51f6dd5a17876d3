import PushCrypto
import PushModel

/// Counts what an install file holds.
struct CheckSink: InstallSink {
    private(set) var duplicates = 0
    private(set) var duplicateLines: [Int] = []
    private(set) var sandbox = 0
    private(set) var withBadge = 0
    private(set) var withUID = 0
    private(set) var pkcs1Keys = 0
    private(set) var distinctKeys = 0
    private(set) var widestBadge: Int64?
    private(set) var longestUID = 0
    /// Installs by the number of digits of their token.
    private(set) var tokenLengths = [Int](repeating: 0, count: 401)
    /// Installs by the index of their language in `names`.
    private(set) var languageCounts = [0]
    /// A table without installs, for its numbering of languages.
    let names = InstallTable()

    private let keptDuplicates: Int
    private var languages: LanguageInterner
    private var tokens = TokenSet()
    private var keys = TokenSet()

    init(keptDuplicates: Int) {
        self.keptDuplicates = keptDuplicates
        languages = LanguageInterner(table: names)
    }

    mutating func take(_ install: ParsedInstall, line: Int) throws(SinkRefusal) {
        let language: Int
        do {
            language = Int(try languages.index(of: install.language))
        } catch {
            throw .malformed(error)
        }
        while languageCounts.count <= language { languageCounts.append(0) }
        languageCounts[language] += 1
        tokenLengths[install.token.count] += 1
        if install.environment == .sandbox { sandbox += 1 }
        if let badge = install.badge {
            withBadge += 1
            widestBadge = max(widestBadge ?? badge, badge)
        }
        if !install.uid.isEmpty {
            withUID += 1
            longestUID = max(longestUID, install.uid.count)
        }
        if let key = install.key {
            if key.padding == .pkcs1 { pkcs1Keys += 1 }
            if keys.insert(key.publicKey.fingerprint) { distinctKeys += 1 }
        }
        if !tokens.insert(install.token) {
            duplicates += 1
            if duplicateLines.count < keptDuplicates { duplicateLines.append(line) }
        }
    }
}

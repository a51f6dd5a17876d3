import PushCrypto
import PushModel

/// What a reading does with each install.
protocol InstallSink {
    /// Takes an install, whose bytes are valid during the call only.
    mutating func take(_ install: ParsedInstall, line: Int) throws(SinkRefusal)
}

/// Why a sink did not take an install.
enum SinkRefusal: Error {
    /// The line counts as malformed.
    case malformed(LineProblem)
    /// Nothing more can be taken at all.
    case full
}

/// Puts installs into a table.
struct TableSink: InstallSink {
    let table: InstallTable
    let keys: PublicKeyStore?
    var languages: LanguageInterner

    init(table: InstallTable, keys: PublicKeyStore?) {
        self.table = table
        self.keys = keys
        languages = LanguageInterner(table: table)
    }

    mutating func take(_ install: ParsedInstall, line: Int) throws(SinkRefusal) {
        let language: UInt16
        do {
            language = try languages.index(of: install.language)
        } catch {
            throw .malformed(error)
        }
        var key: SealingKey?
        if let given = install.key, let keys {
            key = SealingKey(index: keys.add(given.publicKey), padding: given.padding)
        }
        do {
            try table.append(
                token: install.token.bytes,
                languageIndex: language,
                environment: install.environment,
                badge: install.badge,
                uid: install.uid.bytes,
                key: key
            )
        } catch {
            switch error {
            case .fieldTooLong: throw .malformed(.tooLong(.uid, limit: Int(UInt16.max)))
            case .tooManyLanguages, .tableFull: throw .full
            }
        }
    }
}

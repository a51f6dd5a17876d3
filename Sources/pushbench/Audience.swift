import Foundation
import PushCrypto
import PushInstalls
import PushModel

/// The installs of a run: synthetic or from a file.
struct Audience {
    let table: InstallTable
    /// The public keys that its installs name.
    let keys = PublicKeyStore()
    /// What was wrong with the file; nil for a synthetic audience.
    let report: InstallFileReport?
    /// The language mix of a synthetic audience; nil for a file.
    let mix: LanguageMix?

    static let defaultCount = 200_000
    /// The languages of the sample message, with a share of installs that it does not serve.
    static let defaultLanguages = "en=40,tr=20,de-DE=15,zh-Hant-TW=15,ar=5,sv=5"

    /// How long a slow machine takes to read or make so many installs, in seconds.
    static func secondsToLoad(_ installs: Int) -> Double { Double(installs) / 10_000 }

    /// Parses a language mix.
    static func languages(_ text: String?) throws -> LanguageMix {
        try LanguageMix(text ?? defaultLanguages)
    }

    /// What a synthetic install takes in the table, with its ledger entry.
    private static let bytesPerInstall = 80

    /// Refuses an audience that would drive the machine out of memory.
    private static func checkMemory(for count: Int) throws(UsageError) {
        let memory = ProcessInfo.processInfo.physicalMemory
        let needed = UInt64(count) * UInt64(bytesPerInstall)
        guard needed > memory else { return }
        throw UsageError(
            "--installs \(count) needs \(needed >> 30) GiB of memory and this machine has "
                + "\(memory >> 30): give at most \(memory / UInt64(bytesPerInstall))."
        )
    }

    /// Makes or reads the installs that the flags name.
    ///
    /// - Parameters:
    ///   - arguments: The flags.
    ///   - seed: What synthetic installs are made from.
    ///   - needsUIDs: Whether synthetic installs need a user id.
    /// - Throws: ``UsageError``, ``InstallFileError`` or what the language mix throws.
    init(_ arguments: Arguments, seed: UInt64, needsUIDs: Bool = false) throws {
        table = InstallTable()
        let installs = arguments["installs"] ?? String(Self.defaultCount)
        if let count = Int(installs) {
            guard (1...1_000_000_000).contains(count) else {
                throw UsageError(
                    "--installs \(count) does not fit: give 1 to 1000000000, or a file."
                )
            }
            try Self.checkMemory(for: count)
            let mix = try Self.languages(arguments["languages"])
            try SyntheticPopulation(
                count: count,
                seed: seed,
                languages: mix,
                hasUIDs: needsUIDs
            ).fill(table)
            report = nil
            self.mix = mix
        } else {
            if arguments.has("languages") {
                throw UsageError(
                    "--languages is for synthetic installs: the file names each install's own."
                )
            }
            let isStrict = arguments.has("strict")
            try InputFile.awaitContent(installs, what: "installs file")
            let reader =
                installs == "-"
                ? InstallFileReader(descriptor: STDIN_FILENO, name: "stdin", isStrict: isStrict)
                : try InstallFileReader(path: installs, isStrict: isStrict)
            let isLive = Terminal.isInteractive && !arguments.has("quiet")
            report = try reader.read(into: table, keys: keys) { count in
                if isLive { Terminal.showLive("reading installs: \(count)") }
            }
            if isLive { Terminal.showLive("") }
            try keys.keepPrecomputed()
            mix = nil
        }
    }
}

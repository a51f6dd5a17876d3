import Foundation
import PushInstalls
import PushModel

/// The installs of a run: synthetic or from a file.
struct Audience {
    let table: InstallTable
    /// What was wrong with the file; nil for a synthetic audience.
    let report: InstallFileReport?
    /// The language mix of a synthetic audience, or where the installs came from.
    let source: String

    static let defaultCount = 200_000
    /// The languages of the sample message, with a share of installs that it does not serve.
    static let defaultLanguages = "en=40,tr=20,de-DE=15,zh-Hant-TW=15,ar=5,sv=5"

    /// Parses a language mix.
    static func languages(_ text: String?) throws -> LanguageMix {
        try LanguageMix(text ?? defaultLanguages)
    }

    /// Makes or reads the installs that the flags name.
    init(_ arguments: Arguments, seed: UInt64) throws {
        table = InstallTable()
        let installs = arguments["installs"] ?? String(Self.defaultCount)
        if let count = Int(installs) {
            guard (1...1_000_000_000).contains(count) else {
                throw UsageError(
                    "--installs \(count) does not fit: give 1 to 1000000000, or a file."
                )
            }
            let mix = try Self.languages(arguments["languages"])
            try SyntheticPopulation(count: count, seed: seed, languages: mix).fill(table)
            report = nil
            source = mix.description
        } else {
            if arguments.has("languages") {
                throw UsageError(
                    "--languages is for synthetic installs: the file names each install's own."
                )
            }
            report = try InstallFileReader(path: installs, isStrict: arguments.has("strict"))
                .read(into: table)
            source = "file"
        }
    }
}

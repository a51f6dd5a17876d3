import PushInstalls
import PushModel
import Testing

@Suite struct SyntheticPopulationTests {
    private func table(
        _ population: SyntheticPopulation,
        indices: Range<Int>? = nil
    ) throws -> InstallTable {
        let table = InstallTable()
        try population.fill(table, indices: indices)
        return table
    }

    private func mix(_ text: String) throws -> LanguageMix { try LanguageMix(text) }

    @Test func isTheSameOnEveryMachine() throws {
        // Golden values: whoever has this seed has these installs.
        let population = SyntheticPopulation(
            count: 3,
            seed: 1,
            languages: try mix("en=60,tr=40"),
            hasUIDs: true,
            hasBadges: true
        )
        let rows = Install.all(in: try table(population))
        #expect(rows.map(\.token) == Self.goldenTokens)
        #expect(rows.map(\.uid) == Self.goldenUIDs)
        #expect(rows.map(\.badge) == Self.goldenBadges)
        #expect(rows.map(\.language) == Self.goldenLanguages)
    }

    @Test(arguments: [1, 2, 3, 7, 64])
    func doesNotDependOnTheNumberOfShards(shards: Int) throws {
        let population = SyntheticPopulation(
            count: 1_000,
            seed: 42,
            languages: try mix("en=60,tr=20,none=20"),
            hasUIDs: true,
            hasBadges: true
        )
        var parts: [Install] = []
        for shard in 0..<shards {
            let range = 1_000 * shard / shards..<1_000 * (shard + 1) / shards
            parts += Install.all(in: try table(population, indices: range))
        }
        #expect(parts == Install.all(in: try table(population)))
    }

    @Test func leavesOutIndicesOutsideThePopulation() throws {
        let population = SyntheticPopulation(count: 10, seed: 1, languages: try mix("en=1"))
        #expect(try table(population, indices: 8..<500).count == 2)
        #expect(try table(population, indices: 50..<60).count == 0)
        let none = SyntheticPopulation(count: -5, seed: 1, languages: try mix("en=1"))
        #expect(try table(none).count == 0)
    }

    @Test func appendsToWhatATableHolds() throws {
        let table = InstallTable()
        try SyntheticPopulation(count: 5, seed: 1, languages: mix("tr=1")).fill(table)
        try SyntheticPopulation(count: 5, seed: 2, languages: mix("en=1,tr=1")).fill(table)
        let rows = Install.all(in: table)
        #expect(Set(rows.map(\.token)).count == 10)
        #expect(rows.prefix(5).allSatisfy { $0.language == "tr" })
        #expect(table.languages == ["", "tr", "en"])
    }

    @Test(arguments: [0, 1, 42, UInt64.max])
    func everyTokenIsAValidOneAndThereOnce(seed: UInt64) throws {
        let table = try table(
            SyntheticPopulation(count: 50_000, seed: seed, languages: mix("en=1"), hasUIDs: true)
        )
        var tokens: Set<String> = []
        var uids: Set<String> = []
        var long = 0
        for index in 0..<table.count {
            let record = table.record(at: index)
            let isValid = DeviceToken.isValid(record.token)
            #expect(isValid)
            let install = Install(record, in: table)
            tokens.insert(install.token)
            uids.insert(install.uid)
            #expect(install.uid.utf8.count == 18)
            switch install.token.utf8.count {
            case 64: break
            case 160: long += 1
            default: Issue.record("a token of \(install.token.utf8.count) digits")
            }
        }
        #expect(tokens.count == 50_000)
        #expect(uids.count == 50_000)
        // One in a thousand: 50 expected, with a standard deviation of 7.
        #expect((15...85).contains(long))
    }

    @Test func otherSeedsGiveOtherInstalls() throws {
        let languages = try mix("en=1")
        var tokens: Set<String> = []
        for seed in 0..<50 as Range<UInt64> {
            let population = SyntheticPopulation(count: 100, seed: seed, languages: languages)
            tokens.formUnion(Install.all(in: try table(population)).map(\.token))
        }
        #expect(tokens.count == 5_000)
    }

    @Test(arguments: ["en=60,tr=20,de-DE=15,zh-Hant-TW=5", "en=1,none=3", "sv=0,ja=0.1"])
    func languagesComeInTheirShares(written: String) throws {
        let count = 100_000
        let languages = try mix(written)
        let rows = Install.all(
            in: try table(SyntheticPopulation(count: count, seed: 9, languages: languages))
        )
        let total = Double(languages.entries.reduce(0) { $0 + $1.share })
        for entry in languages.entries {
            let expected = Double(entry.share) / total
            let found = Double(rows.count { $0.language == entry.language }) / Double(count)
            // Five standard deviations of a share of one half.
            #expect(abs(found - expected) < 0.008)
            if entry.share == 0 { #expect(found == 0) }
        }
    }

    @Test func badgesAreThereOnlyWhenWanted() throws {
        let with = SyntheticPopulation(
            count: 5_000,
            seed: 3,
            languages: try mix("en=1"),
            hasBadges: true
        )
        let badges = Install.all(in: try table(with)).map(\.badge)
        #expect(badges.allSatisfy { $0.map { (0...99).contains($0) } ?? false })
        #expect(Set(badges).count == 100)
        let without = SyntheticPopulation(count: 10, seed: 3, languages: try mix("en=1"))
        #expect(
            Install.all(in: try table(without)).allSatisfy { $0.badge == nil && $0.uid.isEmpty }
        )
    }

    @Test func aMillionInstallsTakeAtMost128BytesEach() throws {
        let table = try table(
            SyntheticPopulation(
                count: 1_000_000,
                seed: 7,
                languages: mix("en=60,tr=20,de-DE=15,zh-Hant-TW=5"),
                hasUIDs: true,
                hasBadges: true
            )
        )
        #expect(table.byteCount <= 128_000_000)
    }

    // Made with a few lines of Python from the description of the generator.
    private static let goldenTokens: [String] = [
        "1567529fddde71834d3e03c5c260f36cb0f912a14120350abb069d67a8c193f3",
        "c6656f66c188dec94d13d63936c23a82d3f2a26a31ae8f3b5cbcfe9601e15eed",
        "7a3b7b81e6356e170e624bb366e5d1241b158fee8f584eb1ab369a03226d0425",
    ]
    private static let goldenUIDs = [
        "00500000zfavGpHA1g", "0050000AdTLOn9izRa", "0050000AmR1rQUuJds",
    ]
    private static let goldenBadges: [Int64?] = [13, 29, 89]
    private static let goldenLanguages = ["en", "tr", "tr"]
}

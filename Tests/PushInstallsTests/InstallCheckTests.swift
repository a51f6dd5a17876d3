import PushInstalls
import PushModel
import TestSupport
import Testing

@Suite struct InstallCheckTests {
    private func check(_ text: String, name: String = "audience.csv") throws -> InstallCheck {
        let file = TemporaryFile(text)
        return try InstallFileReader(descriptor: file.descriptor, name: name).check()
    }

    @Test func countsWhatIsThere() throws {
        let check = try check(
            """
            token,language,environment,badge,uid,publicKey,city
            aa,en,,3,u1,\(PublicKeyTexts.rsa2048),x
            BB,tr,sandbox,,,,
            cccc,en,production,40,user22,,
            bad,en,,,,,
            dd,,,,,,
            bb,tr,,,,,
            ee,en,nowhere,,,,
            Aa,en,,,,,
            """
        )
        #expect(check.report.installs == 6)
        #expect(check.report.malformed == 2)
        #expect(check.report.malformed(.invalidToken) == 1)
        #expect(check.report.malformed(.invalidEnum) == 1)
        #expect(check.report.faults.map(\.line) == [5, 8])
        #expect(
            check.languages.map { "\($0.language)=\($0.installs)" } == ["en=3", "tr=2", "=1"]
        )
        #expect(
            check.tokenLengths.map { "\($0.digits)=\($0.installs)" } == ["2=5", "4=1"]
        )
        #expect(check.duplicateTokens == 2)
        #expect(check.duplicateLines == [7, 9])
        #expect(check.sandboxInstalls == 1)
        #expect(check.installsWithBadge == 2)
        #expect(check.widestBadge == 40)
        #expect(check.installsWithUID == 2)
        #expect(check.longestUID == 6)
        #expect(check.report.installsWithKey == 1)
        #expect(check.report.ignoredColumns == ["city"])
        #expect(!check.isClean)
    }

    @Test func aSyntheticFileIsClean() throws {
        let file = TemporaryFile()
        let population = SyntheticPopulation(
            count: 20_000,
            seed: 5,
            languages: try LanguageMix("en=1,tr=1")
        )
        var writer = InstallFileWriter(descriptor: file.descriptor, name: "x.csv", format: .csv)
        try writer.write(population)
        _ = file.contents()
        let check = try InstallFileReader(descriptor: file.descriptor, name: "x.csv").check()
        #expect(check.isClean)
        #expect(check.report.installs == 20_000)
        #expect(check.tokenLengths.map(\.digits) == [64, 160])
        #expect(check.languages.map(\.installs).reduce(0, +) == 20_000)
    }

    @Test func findsEveryDuplicateAmongMany() throws {
        let file = TemporaryFile()
        let languages = try LanguageMix("en=1")
        let population = SyntheticPopulation(count: 20_000, seed: 5, languages: languages)
        var writer = InstallFileWriter(descriptor: file.descriptor, name: "x", format: .ndjson)
        try writer.write(population)
        try writer.write(population, indices: 100..<700)
        _ = file.contents()
        let check = try InstallFileReader(descriptor: file.descriptor, name: "x").check()
        #expect(check.duplicateTokens == 600)
        #expect(check.duplicateLines == Array(20_001...20_100))
    }

    @Test func tellsItInAtMostThirtyLines() throws {
        var text = "token," + (0..<40).map { "column\($0)" }.joined(separator: ",") + ",language\n"
        let commas = String(repeating: ",", count: 40)
        for number in 0..<200 {
            let token = String(256 + number, radix: 16) + "0"
            text += "\(token)\(commas),l\(number)\nx\(number)\(commas),en\n\(token)\n"
            text += "\(token)\(commas),l\(number)\n"
        }
        let lines = try check(text).summaryLines()
        #expect(lines.count <= 30)
        #expect(lines[0] == "audience.csv: 400 installs (CSV), 400 malformed lines")
        #expect(
            lines.contains { $0.contains("invalid_token 200") && $0.contains("invalid_csv 200") }
        )
        #expect(lines.contains { $0.contains("200 installs with a token seen before") })
        #expect(lines.allSatisfy { !$0.contains("\n") })
    }

    @Test func showsNoControlCharactersOfTheFile() throws {
        let check = try check("token,language,\u{1B}[31mred\naa,\u{1B}]0;x\u{7},y\n")
        #expect(
            check.summaryLines().allSatisfy { line in
                line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
            }
        )
    }
}

import Glibc
import PushInstalls
import PushModel
import Testing

@Suite struct InstallFileWriterTests {
    private func population(uids: Bool, badges: Bool) throws -> SyntheticPopulation {
        SyntheticPopulation(
            count: 3_000,
            seed: 11,
            languages: try LanguageMix("en=60,tr=20,de_DE.UTF-8@euro=15,none=5"),
            hasUIDs: uids,
            hasBadges: badges
        )
    }

    @Test(arguments: [InstallFileFormat.csv, .ndjson], [false, true])
    func whatItWritesReadsBackAsThePopulation(format: InstallFileFormat, extras: Bool) throws {
        let population = try population(uids: extras, badges: extras)
        let file = TemporaryFile()
        var writer = InstallFileWriter(descriptor: file.descriptor, name: "out", format: format)
        try writer.write(population)
        lseek(file.descriptor, 0, SEEK_SET)
        let read = InstallTable()
        let report = try InstallFileReader(descriptor: file.descriptor, name: "out").read(
            into: read
        )
        #expect(report.format == format)
        #expect(report.malformed == 0)
        let made = InstallTable()
        try population.fill(made)
        #expect(Install.all(in: read) == Install.all(in: made))
    }

    @Test(arguments: [
        (InstallFileFormat.csv, "token,language\nTOKEN,en\n"),
        (.ndjson, "{\"token\":\"TOKEN\",\"language\":\"en\"}\n"),
    ])
    func writesThePlainForm(format: InstallFileFormat, pattern: String) throws {
        let population = SyntheticPopulation(count: 1, seed: 1, languages: try LanguageMix("en=1"))
        let table = InstallTable()
        try population.fill(table)
        let token = try #require(Install.all(in: table).first?.token)
        let file = TemporaryFile()
        var writer = InstallFileWriter(descriptor: file.descriptor, name: "out", format: format)
        try writer.write(population)
        let parts = pattern.split(separator: "TOKEN", omittingEmptySubsequences: false)
        #expect(String(decoding: file.contents(), as: UTF8.self) == parts.joined(separator: token))
    }

    @Test func shardsTogetherAreTheWhole() throws {
        let population = try population(uids: true, badges: true)
        let whole = TemporaryFile()
        var writer = InstallFileWriter(descriptor: whole.descriptor, name: "out", format: .ndjson)
        try writer.write(population)
        let parts = TemporaryFile()
        for range in [0..<1_000, 1_000..<1_001, 1_001..<3_000] {
            var part = InstallFileWriter(
                descriptor: parts.descriptor,
                name: "out",
                format: .ndjson
            )
            try part.write(population, indices: range)
        }
        let bytes = whole.contents()
        #expect(parts.contents() == bytes)
        #expect(!bytes.isEmpty)
    }

    @Test func aDescriptorThatTakesNothingIsNamed() throws {
        let population = try population(uids: false, badges: false)
        let full = open("/dev/full", O_WRONLY)
        defer { close(full) }
        #expect(throws: InstallFileError.cannotWrite(name: "audience.csv", errorNumber: ENOSPC)) {
            var writer = InstallFileWriter(descriptor: full, name: "audience.csv", format: .csv)
            try writer.write(population)
        }
    }
}

import CAllocCounter
import Glibc
import PushInstalls
import PushModel
import Testing

// A sanitizer brings an allocator of its own, which the counter does not see.
@Suite(.enabled(if: getenv("PUSHBENCH_SANITIZER") == nil))
struct InstallAllocationTests {
    /// The allocations of one reading of `count` installs, none of which is new to the table's chunk.
    private func allocations(format: InstallFileFormat, count: Int) throws -> UInt64 {
        let file = TemporaryFile()
        let population = SyntheticPopulation(
            count: count,
            seed: 3,
            languages: try LanguageMix("en=60,tr=20,de-DE=15,none=5"),
            hasUIDs: true,
            hasBadges: true
        )
        var writer = InstallFileWriter(descriptor: file.descriptor, name: "x", format: format)
        try writer.write(population)
        lseek(file.descriptor, 0, SEEK_SET)
        let table = InstallTable()
        table.reserve(count: count)
        let before = pb_thread_allocations()
        _ = try InstallFileReader(descriptor: file.descriptor, name: "x").read(into: table)
        return pb_thread_allocations() - before
    }

    @Test(arguments: [InstallFileFormat.csv, .ndjson])
    func readingALineAllocatesNothing(format: InstallFileFormat) throws {
        // Both audiences fit one chunk of the table; the first reading warms the JSON parser up.
        _ = try allocations(format: format, count: 1_000)
        let few = try allocations(format: format, count: 1_000)
        let many = try allocations(format: format, count: 30_000)
        #expect(few > 0)
        #expect(many == few)
    }

    @Test func makingAnInstallAllocatesNothing() throws {
        func allocations(count: Int) throws -> UInt64 {
            let population = SyntheticPopulation(
                count: count,
                seed: 3,
                languages: try LanguageMix("en=60,tr=40"),
                hasUIDs: true,
                hasBadges: true
            )
            let table = InstallTable()
            let before = pb_thread_allocations()
            try population.fill(table)
            return pb_thread_allocations() - before
        }
        // What the runtime sets up once, it sets up in the first filling.
        _ = try allocations(count: 1_000)
        let few = try allocations(count: 1_000)
        #expect(few > 0)
        #expect(try allocations(count: 30_000) == few)
    }
}

import Foundation
import PushInstalls
import PushModel
import Testing

@Suite struct InstallFilePropertyTests {
    private struct Outcome: Equatable {
        var installs: [Install]
        var report: InstallFileReport
    }

    private func read(
        _ descriptor: Int32,
        _ format: InstallFileFormat
    ) -> Result<Outcome, InstallFileError> {
        let table = InstallTable()
        do {
            let report = try InstallFileReader(descriptor: descriptor, name: "x", format: format)
                .read(into: table)
            return .success(Outcome(installs: Install.all(in: table), report: report))
        } catch {
            return .failure(error)
        }
    }

    /// Bytes that look like an install file here and there, with faults of every kind.
    private func mess(_ random: inout SplitMix64, parts: Int) -> [UInt8] {
        let pieces = [
            "token,language,badge,uid,environment\n", "{\"token\":\"ab\"}", "\n", "\r\n", "\r",
            "\"",
            "\"\"", ",", "ab", "0123456789abcdef", "en", "tr-TR", "ü", "🎉", "{", "}", "[", "]", ":",
            "\"token\":", "\"language\":\"de\"", "\"badge\":-5", "null", "1e999", "\\ud83c",
            "\u{FEFF}",
            "sandbox", "99999999999999999999", " ", "\t", "\0", String(repeating: "a", count: 700),
        ]
        var bytes: [UInt8] = []
        for _ in 0..<parts {
            switch Int.random(in: 0..<12, using: &random) {
            case 0: bytes.append(UInt8.random(in: 0...255, using: &random))
            default: bytes += Array(pieces[Int.random(in: pieces.indices, using: &random)].utf8)
            }
        }
        return bytes
    }

    @Test(arguments: [InstallFileFormat.csv, .ndjson], 0..<300 as Range<UInt64>)
    func anyBytesAreReadToTheEndOrRefused(format: InstallFileFormat, seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var bytes = mess(&random, parts: Int.random(in: 0..<400, using: &random))
        if format == .csv, seed.isMultiple(of: 2) { bytes = Array("token,uid\n".utf8) + bytes }
        let file = TemporaryFile(bytes)
        guard case .success(let outcome) = read(file.descriptor, format) else { return }
        #expect(outcome.report.installs == outcome.installs.count)
        let byCode = InstallFaultCode.allCases.map { outcome.report.malformed($0) }
        #expect(byCode.reduce(0, +) == outcome.report.malformed)
        #expect(outcome.report.faults.count == min(100, outcome.report.malformed))
        let lines = outcome.report.faults.map(\.line)
        #expect(zip(lines, lines.dropFirst()).allSatisfy { $0 < $1 })
        for install in outcome.installs {
            let isValid = DeviceToken.isValid(Array(install.token.utf8).span.bytes)
            #expect(isValid)
        }
    }

    @Test(.timeLimit(.minutes(5)), arguments: [InstallFileFormat.csv, .ndjson])
    func theSizeOfReadsDoesNotMatter(format: InstallFileFormat) throws {
        var random = SplitMix64(seed: 77)
        let start = format == .csv ? "token,uid\n" : ""
        let bytes = Array(start.utf8) + mess(&random, parts: 4_000)
        let file = TemporaryFile(bytes)
        let whole = try read(file.descriptor, format).get()
        let pipe = Pipe()
        let writer = pipe.fileHandleForWriting
        let thread = Thread {
            var rest = bytes[...]
            var sizes = SplitMix64(seed: 1)
            while !rest.isEmpty {
                let part = rest.prefix(Int.random(in: 1...97, using: &sizes))
                writer.write(Data(part))
                rest = rest.dropFirst(part.count)
            }
            try? writer.close()
        }
        thread.start()
        let parts = try read(pipe.fileHandleForReading.fileDescriptor, format).get()
        #expect(parts == whole)
        #expect(whole.report.malformed > 0)
    }
}

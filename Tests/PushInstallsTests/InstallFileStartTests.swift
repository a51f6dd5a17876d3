import Glibc
import PushInstalls
import PushModel
import Testing

@Suite struct InstallFileStartTests {
    private func format(_ text: String, name: String) throws -> InstallFileFormat {
        let file = TemporaryFile(text)
        return try InstallFileReader(descriptor: file.descriptor, name: name)
            .read(into: InstallTable()).format
    }

    @Test(
        arguments: [
            ("a.csv", InstallFileFormat.csv), ("dir.ndjson/a.CSV", .csv), ("a.ndjson", .ndjson),
            ("/x/a.b.jsonl", .ndjson), ("a.json", .ndjson), ("a.txt", nil), ("csv", nil),
            ("a.csv.gz", nil), ("", nil), ("dir.csv/installs", nil), ("a.", nil),
        ] as [(String, InstallFileFormat?)]
    )
    func aNamePromisesAFormat(name: String, format: InstallFileFormat?) {
        #expect(InstallFileFormat.named(by: name) == format)
    }

    @Test(arguments: [
        ("token\nab\n", "installs", InstallFileFormat.csv),
        ("{\"token\":\"ab\"}\n", "installs", .ndjson),
        ("\u{FEFF} \n{\"token\":\"ab\"}\n", "/dev/stdin", .ndjson),
        ("token\nab\n", "a.csv", .csv),
    ])
    func theFirstByteDecidesWhereTheNameDoesNot(
        text: String,
        name: String,
        format: InstallFileFormat
    ) throws {
        #expect(try self.format(text, name: name) == format)
    }

    @Test(
        arguments: [
            ([0x1F, 0x8B, 0x08, 0x00], "gunzip"),
            ([0x28, 0xB5, 0x2F, 0xFD], "unzstd"),
            ([0x50, 0x4B, 0x03, 0x04], "CSV"),
            ([0xFF, 0xFE, 0x74, 0x00], "UTF-8"),
            (Array("[{\"token\":\"ab\"}]".utf8), "one object a line"),
        ] as [([UInt8], String)]
    )
    func otherFormsAreRefusedWithTheMend(bytes: [UInt8], mend: String) {
        let file = TemporaryFile(bytes)
        let error = #expect(throws: InstallFileError.self) {
            try InstallFileReader(descriptor: file.descriptor, name: "installs.json.gz")
                .read(into: InstallTable())
        }
        guard case .unsupported? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains(mend) == true)
    }

    @Test func aFileThatIsNotThereIsNamed() {
        #expect(throws: InstallFileError.cannotOpen(name: "/nowhere/x.csv", errorNumber: ENOENT)) {
            _ = try InstallFileReader(path: "/nowhere/x.csv")
        }
    }

    @Test func aDirectoryCannotBeRead() {
        #expect(throws: InstallFileError.cannotRead(name: "/", errorNumber: EISDIR)) {
            try InstallFileReader(path: "/").read(into: InstallTable())
        }
    }
}

import Foundation
import Testing

/// Files that cannot be used: exit code 3, what is wrong with which, nothing half-written.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct InputFaultTests {
    /// A kind of file that is no good whatever it is given for.
    enum Bad: String, CaseIterable, Sendable {
        case missing, folder, empty, binary, endless

        func make(in folder: Folder) throws -> String {
            switch self {
            case .missing: return folder.path + "/missing"
            case .folder: return try folder.makeFolder("folder")
            case .empty: return try folder.write("empty", "")
            case .binary:
                return try folder.write("binary", Data((0..<4096).map { UInt8($0 * 7 & 0xFF | 1) }))
            case .endless: return "/dev/zero"
            }
        }
    }

    @Test(arguments: Bad.allCases, [["run", "--installs", "5"], ["render"]])
    func badMessageFileIsOneJSONLine(bad: Bad, words: [String]) async throws {
        let folder = try Folder()
        let path = try bad.make(in: folder)
        let outcome = try await Program.pushbench(words + ["--message", path], in: folder.path)
        let code = bad == .binary ? try outcome.faults()[0]["code"].string ?? "" : "invalid_json"
        #expect(["invalid_json", "invalid_unicode"].contains(code))
        try expectFaults(outcome, ["\(code) "])
        if bad == .missing || bad == .folder { #expect(outcome.errors.contains(path)) }
    }

    @Test(arguments: Bad.allCases.filter { $0 != .endless })
    func badInstallFileIsNamed(bad: Bad) async throws {
        let folder = try Folder()
        let path = try bad.make(in: folder)
        for words in [["run", "--installs", path], ["installs", "check", path]] {
            expectSentence(
                try await Program.pushbench(words, in: folder.path),
                code: 3,
                naming: [path]
            )
        }
    }

    @Test func missingScenarioIsNamed() async throws {
        expectSentence(
            try await Program.pushbench("run", "/no/such.json"),
            code: 3,
            naming: ["/no/such.json", "no such file"]
        )
    }

    @Test(arguments: [
        ["run", "--installs", "5", "--target", "https://localhost:1", "--cacert", "FILE"],
        ["run", "--installs", "5", "--cert", "FILE"],
        ["run", "--installs", "5", "--auth-key", "FILE", "--key-id", "A", "--team-id", "B"],
        ["mock", "--client-ca", "FILE"], ["mock", "--auth", "FILE"],
        ["mock", "--tls-cert", "FILE", "--tls-key", "FILE"],
        ["run", "--installs", "5", "--mock-option", "client-ca=FILE"],
    ])
    func badKeyOrCertificateFileIsNamed(words: [String]) async throws {
        let folder = try Folder()
        for bad in [Bad.missing, .folder, .empty] {
            let path = try bad.make(in: folder)
            let outcome = try await Program.pushbench(
                words.map { $0.replacing("FILE", with: path) },
                in: folder.path
            )
            // What a library says of an empty file is its own, but it says so.
            expectSentence(outcome, code: 3, naming: [path])
        }
    }

    @Test func allFaultsOfAMessageAreToldTogether() async throws {
        let folder = try Folder()
        try folder.write(
            "m.json",
            #"""
            {"dialect":"xulo","contents":{"en":""},"headings":{"en":"\#(
                String(repeating: "a", count: 121))"},"url":"javascript:alert(1)",
             "image":"http://e.example/a.jpg","data":{"n":5}}
            """#
        )
        for words in [["run", "--installs", "5"], ["render"]] {
            try expectFaults(
                await Program.pushbench(words + ["--message", "m.json"], in: folder.path),
                [
                    "empty_message contents.en", "title_too_long headings.en", "invalid_url url",
                    "image_not_https image", "invalid_data_value data.n", "missing_field draft_id",
                ]
            )
        }
    }

    @Test(arguments: [
        #"{"dialect":"apns","aps":{"alert":"Hej",}}"#,
        #"{"dialect":"apns","aps":{"alert":“Hej”}}"#,
        #"{"dialect":"apns" "aps":{}}"#,
        #"{"dialect":"apns",/* no */"aps":{}}"#,
    ])
    func brokenJSONIsToldByLineAndColumn(text: String) async throws {
        let outcome = try await Program.pushbench("render", "--message", "-", input: text)
        try expectFaults(outcome, ["invalid_json "])
        #expect(outcome.errors.contains("line 1, column "))
        #expect(outcome.errors.contains("expected"))
    }

    @Test func placeThatCannotBeWrittenIsToldBeforeTheRun() async throws {
        let folder = try Folder()
        _ = try folder.makeFolder("folder")
        try folder.write("file", "kept")
        let mock = try await RunningMock("--plain")
        for (path, words) in [
            ("none/r.json", ["none/r.json", "folder first"]), ("folder", ["folder", "directory"]),
            ("file/r.json", ["file/r.json", "directory"]),
        ] {
            expectSentence(
                try await Program.pushbench(
                    ["run", "--installs", "5", "--out", path] + mock.flags,
                    in: folder.path
                ),
                code: 1,
                naming: words
            )
        }
        #expect(try await mock.stop()["connectionsOpened"].int == 0)
        #expect(try folder.files() == ["file"])
        expectSentence(
            try await Program.pushbench(
                ["installs", "generate", "--count", "5", "--out", "none/a.csv"],
                in: folder.path
            ),
            code: 1,
            naming: ["none/a.csv", "No such file"]
        )
    }

    @Test func resultsThatIsAFileIsTold() async throws {
        let folder = try Folder()
        try folder.write("results", "")
        let outcome = try await Program.pushbench(
            ["run", "--installs", "5", "--save"],
            in: folder.path
        )
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("results"))
        #expect(try folder.files() == ["results"])
    }

    @Test func temporaryFolderThatIsNotThereIsNamed() async throws {
        expectSentence(
            try await Program.pushbench(
                ["run", "--installs", "5"],
                environment: ["TMPDIR": "/no/such/folder"]
            ),
            code: 1,
            naming: ["/no/such/folder"]
        )
    }

    @Test func emptyEnvironmentIsEnough() async throws {
        let folder = try Folder()
        let script = """
            env -i "$(command -v pushbench)" run --installs 50 --json > out.json
            """
        let outcome = try await Program.shell(script, in: folder.path)
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(outcome.errors == "")
        let result = try JSONNode(folder.read("out.json"))
        #expect(Account(of: result["runs"][0]) == Account(allAccepted: 50))
    }
}

import Foundation
import Testing

/// Input files that are pipes, devices and folders.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct InputPipeTests {
    /// A folder with a key, a certificate, a message and installs.
    private func stage() async throws -> Folder {
        let folder = try Folder()
        _ = try await SelfSigned(in: folder)
        let both = try folder.read("cert.pem") + folder.read("key.pem")
        try folder.write("both.pem", String(decoding: both, as: UTF8.self))
        try folder.write("m.json", #"{"dialect": "apns", "aps": {"alert": "Hej"}}"#)
        try folder.write("installs.csv", "token\n00ff\n11ff\n")
        return folder
    }

    /// What `<(...)` of a shell gives, for every file at once.
    @Test func processSubstitutionIsAFile() async throws {
        let folder = try await stage()
        let outcome = try await Program.shell(
            """
            openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.p8 2> /dev/null
            pushbench mock --ready-file r.json --quiet --auth any --tls-cert <(cat cert.pem) \
                --tls-key <(cat key.pem) --client-ca <(cat cert.pem) > counters.json &
            mock=$!
            until [ -e r.json ]; do kill -0 $mock || exit 9; done
            target=(--target https://localhost:$(sed 's/.*"port":\\([0-9]*\\).*/\\1/' r.json))
            pushbench run "${target[@]}" --cacert <(cat cert.pem) --installs <(cat installs.csv) \
                --message <(cat m.json) --auth-key <(cat key.p8) --key-id ABCDEFGHIJ \
                --team-id ABCDEFGHIJ --quiet > first.txt; echo $?
            pushbench run "${target[@]}" --cacert <(cat cert.pem) --installs <(cat installs.csv) \
                --message <(cat m.json) --cert <(cat both.pem) --quiet > second.txt; echo $?
            kill -TERM $mock; wait $mock
            """,
            in: folder.path
        )
        #expect(outcome.lines == ["0", "0"], "\(outcome.errors)")
        for name in ["first.txt", "second.txt"] {
            let text = String(decoding: try folder.read(name), as: UTF8.self)
            #expect(text.contains("2 accepted"), "\(text)")
        }
    }

    private static let files: [(flag: String, words: [String])] = [
        ("--auth-key", ["--key-id", "ABCDEFGHIJ", "--team-id", "ABCDEFGHIJ"]),
        ("--cacert", []), ("--cert", []), ("--message", []), ("--installs", []),
    ]

    @Test(arguments: files, ["/dev/zero", "/tmp"])
    func deviceWithoutAnEndAndFolderAreRefused(
        file: (flag: String, words: [String]),
        path: String
    ) async throws {
        let folder = try Folder()
        let outcome = try await Program.pushbench(
            ["run", "--target", "https://127.0.0.1:9", file.flag, path] + file.words,
            in: folder.path,
            within: 60
        )
        #expect(outcome.code == 3, "\(outcome.errors)")
        #expect(outcome.errorLines.count == 1 && outcome.errors.contains(path), "\(outcome.errors)")
    }

    @Test func privateKeysWithoutAnEndAreRefused() async throws {
        let outcome = try await Program.pushbench(
            "decode",
            "--dialect",
            "salesforce",
            "--private-key",
            "/dev/zero"
        )
        #expect(outcome.code == 3)
        #expect(outcome.errors.contains("File too large"), "\(outcome.errors)")
    }

    @Test(arguments: [
        ["render", "--message", "pipe"], ["installs", "check", "pipe"],
        ["run", "--target", "https://127.0.0.1:9", "--cacert", "pipe"],
        ["run", "--target", "https://127.0.0.1:9", "--cert", "pipe"],
        ["run", "--installs", "pipe"],
        ["decode", "--dialect", "salesforce", "--private-key", "pipe"],
        ["mock", "--tls-cert", "pipe", "--tls-key", "key.pem"], ["compare", "key.pem", "pipe"],
        ["results", "show", "pipe"], ["report", "pipe"],
    ])
    func pipeThatNobodyWritesIsToldOf(words: [String]) async throws {
        let folder = try await stage()
        try #require(mkfifo(folder.path + "/pipe", 0o600) == 0)
        let program = try Program(path: Program.binary(), words, in: folder.path)
        try await program.wait { program.errors.contains("Waiting for the") }
        #expect(program.errors.contains("pipe: nothing has been written to it yet."))
        program.signal(SIGINT)
        let outcome = try await program.finish()
        #expect(outcome.code != 0, "one Ctrl-C is enough")
    }
}

import Foundation
import Testing

/// Readers that go away, disks that are full, descriptors that are closed.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct PipeTests {
    /// Runs a script of bash and returns what it printed, stderr empty unless it is to be read.
    private func shell(_ script: String, in folder: Folder) async throws -> Program.Outcome {
        try await Program.shell(script, in: folder.path)
    }

    @Test func readerThatHasSeenEnoughIsNoFault() async throws {
        let folder = try Folder()
        let outcome = try await shell(
            """
            pushbench installs generate --count 300000 | head -n 1; echo "${PIPESTATUS[0]}"
            pushbench run --installs 100 | head -n 1; echo "${PIPESTATUS[0]}"
            pushbench run --installs 100 --json | true; echo "${PIPESTATUS[0]}"
            pushbench render | true; echo "${PIPESTATUS[0]}"
            pushbench --help | true; echo "${PIPESTATUS[0]}"
            """,
            in: folder
        )
        #expect(outcome.errors == "")
        let lines = outcome.lines
        #expect(lines.count == 7)
        #expect(lines.first == "token,language")
        #expect(lines.filter { $0 == "0" }.count == 5)
    }

    @Test func exitCodeStaysWhatTheRunWas() async throws {
        let folder = try Folder()
        let outcome = try await shell(
            "pushbench run --installs 100 --slo 'p99<1ns' | true; exit ${PIPESTATUS[0]}",
            in: folder
        )
        #expect(outcome.code == 4)
    }

    @Test(arguments: [
        "pushbench render", "pushbench run --installs 50", "pushbench run --installs 50 --json",
        "pushbench --help", "pushbench run --help", "pushbench installs generate --count 50",
    ])
    func fullOrClosedStdoutIsToldAndCode1(command: String) async throws {
        let folder = try Folder()
        expectSentence(
            try await shell("\(command) > /dev/full", in: folder),
            code: 1,
            naming: ["No space left on device"]
        )
        expectSentence(
            try await shell("\(command) >&-", in: folder),
            code: 1,
            naming: ["Bad file descriptor"]
        )
        #expect(try folder.files() == [])
    }

    @Test func fullDiskUnderOutIsToldAfterTheSummary() async throws {
        let folder = try Folder()
        let outcome = try await shell(
            """
            ln -s /dev/full full
            pushbench run --installs 50 --out full
            code=$?
            [[ -L full && -c /dev/full ]] || echo "full was replaced"
            exit $code
            """,
            in: folder
        )
        #expect(outcome.code == 1)
        #expect(outcome.text.contains("50 accepted"), "the measurement is not lost")
        #expect(!outcome.text.contains("replaced"))
        #expect(outcome.errorLines.count == 1 && outcome.errors.contains("No space left on device"))
        expectSentence(
            try await shell("pushbench installs generate --count 50 --out full", in: folder),
            code: 1,
            naming: ["full", "No space left on device"]
        )
        #expect(try await shell("[[ -L full && -c /dev/full ]]", in: folder).code == 0)
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left == ["full"])
    }

    @Test func pipesAndLinksAreWrittenInPlace() async throws {
        let folder = try Folder()
        let outcome = try await shell(
            """
            set -e
            mkfifo pipe; touch real; ln -s real link
            cat pipe > one & pushbench installs generate --count 5 --out pipe; wait
            cat pipe > two & pushbench run --installs 5 --out pipe > /dev/null; wait
            pushbench installs generate --count 5 --out link
            pushbench installs generate --count 5 --out /dev/stdout > three
            [[ -p pipe && -L link ]]
            cmp one real; cmp one three
            """,
            in: folder
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try folder.read("one").count > 300)
        #expect(try JSONNode(folder.read("two"))["complete"] == .bool(true))
    }

    @Test func generateLeavesTheOldFileWhereItCannotWriteAll() async throws {
        let folder = try Folder()
        try folder.write("a.csv", "kept")
        let outcome = try await shell(
            // Not a byte fits: the limit of a file's size takes the disk's place.
            "trap '' XFSZ; ulimit -f 0; pushbench installs generate --count 500 --out a.csv",
            in: folder
        )
        expectSentence(outcome, code: 1, naming: ["a.csv", "File too large"])
        #expect(try folder.files() == ["a.csv"])
        #expect(try folder.read("a.csv") == Data("kept".utf8))
    }

    @Test func closedDescriptorsDoNotMisleadARun() async throws {
        let folder = try Folder()
        let outcome = try await shell(
            """
            pushbench run --installs 50 --json <&- > a.json; echo $?
            pushbench run --installs 50 --json 2>&- > b.json; echo $?
            pushbench run --installs 50 --out c.json <&- >&- 2>&-; echo $?
            pushbench render --message - <&-; echo $?
            """,
            in: folder
        )
        #expect(outcome.lines == ["0", "0", "1", "3"])
        #expect(outcome.errors.contains("stdin"))
        for file in ["a.json", "b.json", "c.json"] {
            let run = try JSONNode(folder.read(file))["runs"][0]
            #expect(Account(of: run) == Account(allAccepted: 50))
        }
    }

    @Test func tooFewDescriptorsAreToldBeforeTheRun() async throws {
        let folder = try Folder()
        expectSentence(
            try await shell(
                "ulimit -n 256; pushbench run --installs 100 --connections 10000",
                in: folder
            ),
            code: 1,
            naming: ["--connections 10000", "256", "ulimit -n"]
        )
        let soft = try await shell(
            "ulimit -Sn 40; pushbench run --installs 400 --connections 100 --json",
            in: folder
        )
        #expect(soft.code == 0, "a soft limit is raised: \(soft.errors)")
        #expect(try soft.account() == Account(allAccepted: 400))
    }
}

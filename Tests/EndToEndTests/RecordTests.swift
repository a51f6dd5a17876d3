import Foundation
import Testing

/// `pushbench mock --record` as a program.
@Suite(.serialized, .timeLimit(.minutes(8)))
struct RecordTests {
    private static let token = String(repeating: "ab", count: 32)

    private func lines(_ folder: Folder, _ name: String = "record.ndjson") throws -> [JSONNode] {
        let text = String(decoding: try folder.read(name), as: UTF8.self)
        #expect(text.isEmpty || text.hasSuffix("\n"))
        return try text.split(separator: "\n").map { try JSONNode(String($0)) }
    }

    @Test(arguments: [["--plain"], ["--quiet"], ["--plain", "--engine", "nghttp2"]])
    func everyPushOfARunIsInIt(flags: [String]) async throws {
        let folder = try Folder()
        let file = folder.path + "/record.ndjson"
        let mock = try await RunningMock(flags: flags + ["--record", file, "--loops", "2"])
        let count = flags == ["--quiet"] && !Program.isSanitized ? 100_000 : 5000
        let run = try await Program.pushbench(
            ["run", "--installs", "\(count)", "--connections", "3"] + mock.flags,
            within: 120
        )
        #expect(run.code == 0, "\(run.errors)")
        let counters = try await mock.stop()
        #expect(counters["accepted"].int == count)
        #expect(counters["recorded"].int == count)
        #expect(counters["unrecorded"].int == 0)
        let text = String(decoding: try folder.read("record.ndjson"), as: UTF8.self)
        #expect(!text.contains("eyJ"), "a provider token")
        #expect(!text.contains("authorization"))
        var tokens: Set<String> = []
        var requests: Set<String> = []
        for line in text.split(separator: "\n") {
            // Reading into a JSONNode takes too long for so many.
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            let request = try #require(value as? [String: Any])
            tokens.insert(try #require(request["token"] as? String))
            let connection = try #require(request["connection"] as? Int)
            let stream = try #require(request["stream"] as? Int)
            requests.insert("\(connection) \(stream)")
            guard request["status"] as? Int == 200, request["reason"] is NSNull,
                line.contains(#""headers":{"apns-topic":"com.example.pushbench","#),
                line.contains(#","body":{"aps":{"alert":{"#)
            else {
                Issue.record("\(line)")
                return
            }
        }
        #expect(tokens.count == count)
        #expect(requests.count == count)
    }

    @Test func linesAreThereWhileTheMockRuns() async throws {
        let folder = try Folder()
        let file = folder.path + "/record.ndjson"
        let mock = try await RunningMock("--plain", "--auth", "off", "--record", file)
        for number in 1...3 {
            _ = try await mock.curl("/3/device/\(Self.token)", ["--data", "{}"])
            let deadline = Date(timeIntervalSinceNow: 20)
            while try lines(folder).count < number, Date() < deadline {
                try await Task.sleep(for: .milliseconds(2))
            }
            let recorded = try lines(folder)
            #expect(recorded.map { $0["connection"].int } == [1, 3, 5].prefix(number).map(\.self))
            #expect(recorded.last?["reason"].string == "MissingTopic")
            // Questions to the mock itself are no pushes.
            #expect(try await mock.statistics()["recorded"].int == number)
        }
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(mode as? Int == 0o600)
        _ = try await mock.curl("/_pushbench/reset", ["--request", "POST"])
        #expect(try await mock.statistics()["recorded"].int == 0)
        #expect(try await mock.stop()["recorded"].int == 0)
        #expect(try lines(folder).count == 3)
    }

    @Test func stdoutHasTheRecordAndStderrTheCounters() async throws {
        for path in ["-", "/dev/stdout"] {
            let mock = try await RunningMock(
                "--plain",
                "--auth",
                "off",
                "--quiet",
                "--record",
                path
            )
            _ = try await mock.curl("/3/device/abc", ["--data", "{}"])
            let outcome = try await mock.finish()
            #expect(outcome.code == 0)
            #expect(outcome.lines.count == 1)
            #expect(try outcome.json()["token"].string == "abc")
            #expect(outcome.errorLines.count == 1)
            #expect(try JSONNode(outcome.errors)["recorded"].int == 1)
        }
    }

    @Test func fileThatCannotBeWrittenIsToldBeforeTheMockListens() async throws {
        let folder = try Folder()
        expectSentence(
            try await Program.pushbench("mock", "--record", "/no/such/record"),
            code: 1,
            naming: ["/no/such/record", "No such file", "folder"]
        )
        let closed = try await Program.shell("pushbench mock --record - >&-", in: folder.path)
        expectSentence(closed, code: 1, naming: ["stdout", "Bad file descriptor"])
        expectSentence(
            try await Program.pushbench("run", "--mock-option", "record=-"),
            code: 2,
            naming: ["record=-"]
        )
    }

    @Test(arguments: ["--record full", "--record small"])
    func fullDiskIsToldOnceAndTheMockGoesOn(flag: String) async throws {
        let folder = try Folder()
        let outcome = try await Program.shell(
            """
            ln -s /dev/full full
            ulimit -f 64
            pushbench mock --plain --quiet --ready-file ready.json \(flag) > counters.json &
            mock=$!
            until [[ -e ready.json ]]; do sleep 0.01; done
            port=$(sed 's/.*"port":\\([0-9]*\\).*/\\1/' ready.json)
            pushbench run --quiet --installs 3000 --target http://127.0.0.1:$port > run.txt
            echo $?
            kill -TERM $mock
            wait $mock
            """,
            in: folder.path
        )
        #expect(outcome.code == 1, "\(outcome.errors)")
        #expect(outcome.lines == ["0"], "the run has its answers")
        #expect(outcome.errorLines.count == 2, "\(outcome.errors)")
        let cause = flag.hasSuffix("full") ? "No space left" : "File too large"
        #expect(outcome.errorLines.first?.contains(cause) == true)
        let counters = try JSONNode(folder.read("counters.json"))
        #expect(counters["accepted"].int == 3000)
        let recorded = try #require(counters["recorded"].int)
        let unrecorded = try #require(counters["unrecorded"].int)
        #expect(recorded + unrecorded == 3000)
        #expect(unrecorded > 0)
        #expect(outcome.errorLines.last?.contains("lacks \(unrecorded) of 3000") == true)
        if flag.hasSuffix("small") {
            #expect(recorded > 0)
            #expect(try lines(folder, "small").count == recorded)
        }
    }

    @Test func readerOfStdoutThatGoesAwayEndsTheRecordAndNothingElse() async throws {
        let folder = try Folder()
        let outcome = try await Program.shell(
            """
            { pushbench mock --plain --quiet --ready-file ready.json --record - & echo $! > pid
              wait $!; echo $? > code; } | head -n 1 > first.ndjson &
            until [[ -e ready.json ]]; do sleep 0.01; done
            port=$(sed 's/.*"port":\\([0-9]*\\).*/\\1/' ready.json)
            pushbench run --quiet --installs 3000 --target http://127.0.0.1:$port > run.txt
            echo $?
            kill -TERM $(cat pid)
            wait
            cat code
            """,
            in: folder.path
        )
        #expect(outcome.lines == ["0", "0"], "\(outcome.errors)")
        #expect(outcome.errorLines.count == 1, "the counters alone: \(outcome.errors)")
        #expect(try JSONNode(outcome.errors)["accepted"].int == 3000)
        #expect(try lines(folder, "first.ndjson").count == 1)
    }

    @Test func secondSignalEndsAMockWhoseRecordNobodyReads() async throws {
        let folder = try Folder()
        let outcome = try await Program.shell(
            """
            mkfifo pipe
            # Open, and never read.
            exec 3<> pipe
            pushbench mock --plain --quiet --ready-file ready.json --record pipe 2> errors.txt &
            mock=$!
            until [[ -e ready.json ]]; do sleep 0.01; done
            port=$(sed 's/.*"port":\\([0-9]*\\).*/\\1/' ready.json)
            pushbench run --quiet --installs 3000 --target http://127.0.0.1:$port > run.txt
            echo $?
            kill -TERM $mock
            until [[ ! -e ready.json ]]; do sleep 0.01; done
            kill -TERM $mock
            wait $mock
            """,
            in: folder.path
        )
        #expect(outcome.lines == ["0"], "3000 lines fit into memory")
        #expect(outcome.code == 130, "\(outcome.errors)")
    }

    @Test func mockEndsThoughNobodyReadsItsRecordAndSaysWhatIsMissing() async throws {
        let folder = try Folder()
        let outcome = try await Program.shell(
            """
            mkfifo pipe
            exec 3<> pipe
            pushbench mock --plain --quiet --ready-file ready.json --record pipe > counters.json &
            mock=$!
            until [[ -e ready.json ]]; do sleep 0.01; done
            port=$(sed 's/.*"port":\\([0-9]*\\).*/\\1/' ready.json)
            pushbench run --quiet --installs 3000 --target http://127.0.0.1:$port > run.txt
            kill -TERM $mock
            wait $mock
            """,
            in: folder.path
        )
        #expect(outcome.code == 1)
        let counters = try JSONNode(folder.read("counters.json"))
        #expect(counters["accepted"].int == 3000)
        let recorded = counters["recorded"].int ?? -1
        #expect(recorded + (counters["unrecorded"].int ?? 0) == 3000)
        #expect(outcome.errors.contains("lacks \(3000 - recorded) of 3000 requests"))
    }
}

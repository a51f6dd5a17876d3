import Foundation
import Testing

/// The flags of `run` about connections, retries and environments.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct SenderTests {
    private static let slips: [(words: [String], naming: [String])] = [
        (["--sandbox-target", "http://127.0.0.1:1"], ["--sandbox-target", "--target"]),
        (
            ["--target", "http://127.0.0.1:1", "--sandbox-target", "mock"],
            ["--sandbox-target mock", "URL"]
        ),
        (
            ["--target", "http://127.0.0.1:1", "--sandbox-target", "ftp://x"],
            ["--sandbox-target ftp://x"]
        ),
        (["--token-lifetime", "19m"], ["--token-lifetime 19m", "20m to 55m"]),
        (["--token-lifetime", "56m"], ["--token-lifetime 56m", "20m to 55m"]),
        (["--retry-limit", "101"], ["--retry-limit 101", "0 to 100"]),
        (["--retry-delay", "0s"], ["--retry-delay 0s", "1ms"]),
        (["--resend", "all"], ["--resend all", "safe, unknown"]),
        (["--connect-timeout", "5"], ["--connect-timeout 5", "10s"]),
        (["--answer-timeout", "0ms"], ["--answer-timeout 0ms"]),
        (["--ping-interval", "25h"], ["--ping-interval 25h", "24h"]),
        (["--ping-timeout", "soon"], ["--ping-timeout soon"]),
    ]

    @Test(arguments: slips.indices)
    func flagThatDoesNotFitIsNamedWithItsMend(index: Int) async throws {
        let slip = Self.slips[index]
        let outcome = try await Program.pushbench(["run"] + slip.words)
        expectSentence(outcome, code: 2, naming: slip.naming)
    }

    @Test func eachInstallIsPushedToThroughTheTargetOfItsEnvironment() async throws {
        let folder = try Folder()
        var lines = ["token,environment"]
        for index in 0..<300 {
            let digits = String(index, radix: 16)
            let token = String(repeating: "0", count: 64 - digits.utf8.count) + digits
            lines.append(
                "\(token),\(index % 3 == 0 ? "sandbox" : index % 3 == 1 ? "production" : "")"
            )
        }
        let installs = try folder.write("installs.csv", lines.joined(separator: "\n") + "\n")
        let production = try await RunningMock("--plain")
        let sandbox = try await RunningMock("--plain", "--environment", "sandbox")
        let outcome = try await Program.pushbench(
            ["run", "--installs", installs, "--sandbox-target", sandbox.target, "--json"]
                + production.flags
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.account() == Account(allAccepted: 300))
        #expect(try await production.stop()["accepted"].int == 200)
        #expect(try await sandbox.stop()["accepted"].int == 100)
    }

    @Test func scenarioFileKnowsTheFlagsToo() async throws {
        let folder = try Folder()
        let scenario = try folder.write(
            "scenario.json",
            """
            {"message": {"dialect": "apns", "aps": {"alert": "Hej"}}, "installs": 200,
             "retryLimit": 0, "retryDelay": "5ms", "resend": "unknown", "pingInterval": "1s",
             "pingTimeout": "1s", "connectTimeout": "2s", "answerTimeout": "9s",
             "tokenLifetime": "30m", "rejectedOut": "rejected.csv"}
            """
        )
        let outcome = try await Program.pushbench(
            ["run", scenario, "--json", "--mock-option", "verify=headers"]
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.account() == Account(allAccepted: 200))
        let settings = try outcome.json()["workload"]["settings"]
        #expect(settings["resend"].string == "unknown")
        #expect(settings["retry-limit"].string == "0")
        // No token was bad: the list is there and empty, for its owner alone.
        let text = String(decoding: try folder.read("rejected.csv"), as: UTF8.self)
        #expect(text == "token,reason,timestamp\n")
        let path = folder.path + "/rejected.csv"
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
        #expect(mode as? Int == 0o600)
    }

    @Test func listThatCannotBeWrittenIsToldBeforeAnythingIsSent() async throws {
        let outcome = try await Program.pushbench(
            "run",
            "--installs",
            "10",
            "--rejected-out",
            "/nowhere/rejected.csv"
        )
        expectSentence(outcome, code: 1, naming: ["/nowhere/rejected.csv"])
    }

    @Test func credentialsThatTheTargetRefusesEndTheRunWithTheirReason() async throws {
        let folder = try Folder()
        _ = try await Program.run(
            "openssl",
            [
                "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out",
                folder.path + "/other.pem",
            ]
        )
        _ = try await Program.run(
            "openssl",
            [
                "ec", "-in", folder.path + "/other.pem", "-pubout", "-out",
                folder.path + "/public.pem",
            ]
        )
        let outcome = try await Program.pushbench(
            "run",
            "--installs",
            "5000",
            "--json",
            "--mock-option",
            "auth=\(folder.path)/public.pem"
        )
        #expect(outcome.code == 1)
        #expect(outcome.errors.contains("403 InvalidProviderToken"), "\(outcome.errors)")
        let account = try outcome.account()
        #expect(account.addsUp)
        #expect(account.accepted == 0)
        #expect(account.neverSent ?? 0 > 0)
    }
}

import Foundation
import Testing

/// `pushbench mock` in a process of its own, on a port that is free.
final class RunningMock: Sendable {
    let host: String
    let port: Int
    /// The certificate to trust; nil without TLS.
    let caFile: String?
    private let folder: Folder
    private let program: Program

    convenience init(_ flags: String...) async throws { try await self.init(flags: flags) }

    /// Starts a mock and waits until its ready file says where it listens.
    init(flags: [String]) async throws {
        let folder = try Folder()
        let readyFile = folder.path + "/ready.json"
        program = try Program(
            path: Program.binary(),
            ["mock", "--port", "0", "--ready-file", readyFile] + flags
        )
        try await program.wait { FileManager.default.fileExists(atPath: readyFile) }
        let ready = try JSONNode(folder.read("ready.json"))
        host = try #require(ready["host"].string)
        port = try #require(ready["port"].int)
        caFile = ready["caFile"].string
        self.folder = folder
    }

    /// What `--target` takes.
    var target: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(caFile == nil ? "http" : "https")://\(name):\(port)"
    }

    /// The flags of `run` that send to this mock.
    var flags: [String] { ["--target", target] + (caFile.map { ["--cacert", $0] } ?? []) }

    /// What it has counted so far, by its own address.
    func statistics() async throws -> JSONNode {
        let outcome = try await curl("/_pushbench/stats")
        return try outcome.json()
    }

    /// Calls curl on a path of the mock.
    func curl(_ path: String, _ flags: [String] = []) async throws -> Program.Outcome {
        let trust = caFile.map { ["--http2", "--cacert", $0] } ?? ["--http2-prior-knowledge"]
        let words = ["--silent", "--show-error", "--globoff"] + trust + flags + [target + path]
        return try await Program.run("curl", words)
    }

    /// Ends it with SIGTERM.
    func finish() async throws -> Program.Outcome {
        program.signal(SIGTERM)
        return try await program.finish()
    }

    /// Ends it with SIGTERM and returns the counters that it prints.
    func stop() async throws -> JSONNode {
        let outcome = try await finish()
        try #require(outcome.code == 0, "\(outcome.errors)")
        return try outcome.json()
    }
}

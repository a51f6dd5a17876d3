import Foundation
import Testing

/// A server that is not ours, started on a port that the system chose.
struct ForeignServer {
    let port: Int
    let program: Program

    /// Starts `name` with arguments that make it listen on port 0 of 127.0.0.1.
    init(_ name: String, _ arguments: [String]) async throws {
        let program = try Program.tool(name, arguments)
        var found: Int?
        try await program.wait {
            found = try Self.listeningPort(ofProcess: program.pid)
            return found != nil
        }
        port = try #require(found)
        self.program = program
    }

    /// nghttpd with a document root, over TLS where a certificate is given.
    static func nghttpd(root: String, tls: SelfSigned?) async throws -> ForeignServer {
        let common = ["--address=127.0.0.1", "--htdocs=\(root)"]
        if let tls { return try await ForeignServer("nghttpd", common + ["0", tls.key, tls.cert]) }
        return try await ForeignServer("nghttpd", common + ["--no-tls", "0"])
    }

    func stop() async throws {
        program.signal(SIGKILL)
        _ = try await program.finish()
    }

    /// The port on which a process listens, by the sockets it holds.
    private static func listeningPort(ofProcess pid: Int32) throws -> Int? {
        let manager = FileManager.default
        let folder = "/proc/\(pid)/fd"
        let descriptors = (try? manager.contentsOfDirectory(atPath: folder)) ?? []
        let sockets = descriptors.compactMap { name in
            try? manager.destinationOfSymbolicLink(atPath: folder + "/" + name)
        }
        let table = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
        for line in table.split(separator: "\n").dropFirst() {
            let fields = line.split(separator: " ")
            guard fields.count > 9, fields[3] == "0A", sockets.contains("socket:[\(fields[9])]")
            else { continue }
            return fields[1].split(separator: ":").last.flatMap { Int($0, radix: 16) }
        }
        return nil
    }
}

/// A certificate for localhost that openssl has made.
struct SelfSigned {
    let cert: String
    let key: String

    init(in folder: Folder) async throws {
        cert = folder.path + "/cert.pem"
        key = folder.path + "/key.pem"
        let outcome = try await Program.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "2", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", cert,
            ]
        )
        try #require(outcome.code == 0, "\(outcome.errors)")
    }
}

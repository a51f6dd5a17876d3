import Foundation
import Testing

/// A server that is not ours, on a port of its own.
struct ForeignServer {
    let port: Int
    let program: Program

    /// Starts `name` with arguments that make it listen on port 0 of a loopback address.
    init(_ name: String, _ arguments: [String], package: String) async throws {
        try Self.need(name, package: package)
        try await self.init(program: Program.tool(name, arguments))
    }

    private init(program: Program) async throws {
        var found: Int?
        try await program.wait {
            found = try Self.listeningPort(ofProcess: program.pid)
            return found != nil
        }
        port = try #require(found)
        self.program = program
    }

    /// Starts `name`, which wants to be told its port: with another one where that was taken meanwhile.
    init(
        _ name: String,
        package: String,
        in folder: Folder? = nil,
        arguments: (_ port: Int) throws -> [String]
    ) async throws {
        try Self.need(name, package: package)
        for attempt in 1...5 {
            let program = try Program.tool(name, arguments(freePort()), in: folder?.path)
            do {
                try await self.init(program: program)
                return
            } catch let error as Program.TimedOut {
                guard attempt < 5, error.errors.contains("in use") else { throw error }
            }
        }
        preconditionFailure("the last attempt returns or throws")
    }

    /// Fails where a server is not installed: nothing is left out for that.
    private static func need(_ name: String, package: String) throws {
        let isThere = ["/usr/sbin/", "/usr/bin/"].contains {
            FileManager.default.isExecutableFile(atPath: $0 + name)
        }
        try #require(isThere, "There is no \(name): install the Debian package \(package).")
    }

    /// nghttpd with a document root, over TLS where a certificate is given.
    static func nghttpd(
        root: String,
        tls: SelfSigned?,
        address: String = "127.0.0.1",
        _ flags: [String] = []
    ) async throws -> ForeignServer {
        let common = ["--address=\(address)", "--htdocs=\(root)"] + flags
        return try await ForeignServer(
            "nghttpd",
            common + (tls.map { ["0", $0.key, $0.cert] } ?? ["--no-tls", "0"]),
            package: "nghttp2-server"
        )
    }

    /// nginx, which answers each push with an empty 200.
    ///
    /// `settings` are directives of the server that pushes go to. It reads a body before it answers by
    /// passing it on to itself; without `readsBodies` it answers at the headers.
    static func nginx(
        in folder: Folder,
        tls: SelfSigned,
        settings: String,
        readsBodies: Bool
    ) async throws -> ForeignServer {
        let path = folder.path
        // Named from its working directory: the path of a socket may not be longer than 107 bytes.
        let answer = readsBodies ? "proxy_pass http://unix:upstream;" : "return 200;"
        return try await ForeignServer("nginx", package: "nginx", in: folder) { port in
            try? FileManager.default.removeItem(atPath: path + "/upstream")
            let file = try folder.write(
                "nginx.conf",
                """
                daemon off;
                master_process off;
                pid \(path)/nginx.pid;
                events { worker_connections 256; }
                http {
                    access_log off;
                    client_body_temp_path \(path)/bodies;
                    proxy_temp_path \(path)/proxy;
                    fastcgi_temp_path \(path)/fastcgi;
                    uwsgi_temp_path \(path)/uwsgi;
                    scgi_temp_path \(path)/scgi;
                    server {
                        listen unix:upstream;
                        location / { return 200; }
                    }
                    server {
                        listen 127.0.0.1:\(port) ssl http2;
                        ssl_certificate \(tls.cert);
                        ssl_certificate_key \(tls.key);
                        \(settings)
                        location / { \(answer) }
                    }
                }
                """
            )
            return ["-e", "stderr", "-p", path, "-c", file]
        }
    }

    /// Apache httpd, which answers each push with an empty file once it has read the body.
    static func apache(
        in folder: Folder,
        tls: SelfSigned,
        settings: String
    ) async throws -> ForeignServer {
        let path = folder.path
        let file = try folder.write("empty", "")
        // As root it reads the file as somebody else.
        for (path, mode) in [(path, 0o755), (file, 0o644)] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        return try await ForeignServer("apache2", package: "apache2-bin") { port in
            let modules = ["mpm_event", "ssl", "http2", "authz_core", "alias"].map {
                "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so"
            }
            let file = try folder.write(
                "apache.conf",
                """
                ServerRoot \(path)
                ServerName localhost
                Listen 127.0.0.1:\(port)
                PidFile \(path)/apache.pid
                ErrorLog /dev/stderr
                LogLevel error
                \(modules.joined(separator: "\n"))
                # Taken where the tests run as root alone.
                User nobody
                Group nogroup
                Mutex file:\(path) default
                DocumentRoot \(path)
                StartServers 1
                ServerLimit 1
                ThreadLimit 32
                ThreadsPerChild 32
                MaxRequestWorkers 32
                Protocols h2
                SSLEngine on
                SSLCertificateFile \(tls.cert)
                SSLCertificateKeyFile \(tls.key)
                AliasMatch ^/3/device/ \(path)/empty
                \(settings)
                """
            )
            return ["-D", "FOREGROUND", "-d", path, "-f", file]
        }
    }

    /// Ends it, with the workers that it has started.
    func stop() async throws {
        // Asked first: Apache's parent takes its children along.
        program.signal(SIGTERM)
        if await !program.isEnded(within: 5) { program.signal(SIGKILL) }
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
        for table in ["/proc/net/tcp", "/proc/net/tcp6"] {
            guard let text = try? String(contentsOfFile: table, encoding: .utf8) else { continue }
            for line in text.split(separator: "\n").dropFirst() {
                let fields = line.split(separator: " ")
                guard fields.count > 9, fields[3] == "0A",
                    sockets.contains("socket:[\(fields[9])]")
                else { continue }
                return fields[1].split(separator: ":").last.flatMap { Int($0, radix: 16) }
            }
        }
        return nil
    }
}

/// A certificate that openssl has made.
struct SelfSigned {
    let cert: String
    let key: String

    init(in folder: Folder, names: String = "DNS:localhost,IP:127.0.0.1,IP:::1") async throws {
        cert = folder.path + "/cert.pem"
        key = folder.path + "/key.pem"
        let outcome = try await Program.run(
            "openssl",
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=\(names)",
                "-keyout", key, "-out", cert,
            ]
        )
        try #require(outcome.code == 0, "\(outcome.errors)")
    }
}

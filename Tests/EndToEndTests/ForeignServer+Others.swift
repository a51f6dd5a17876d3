import Foundation

/// Servers with stream limits of their own.
extension ForeignServer {
    /// lighttpd, which would answer with an empty file.
    static func lighttpd(in folder: Folder, tls: SelfSigned) async throws -> ForeignServer {
        let path = folder.path
        try folder.write("empty", "")
        return try await ForeignServer("lighttpd", package: "lighttpd") { port in
            let file = try folder.write(
                "lighttpd.conf",
                """
                server.modules = ("mod_openssl", "mod_rewrite")
                server.bind = "127.0.0.1"
                server.port = \(port)
                server.document-root = "\(path)"
                server.upload-dirs = ("\(path)")
                server.errorlog = "/dev/stderr"
                ssl.engine = "enable"
                ssl.pemfile = "\(tls.cert)"
                ssl.privkey = "\(tls.key)"
                url.rewrite-once = ("^/3/device/" => "/empty")
                """
            )
            return ["-D", "-f", file]
        }
    }

    /// h2o, whose handler gets the whole body.
    static func h2o(in folder: Folder, tls: SelfSigned) async throws -> ForeignServer {
        // As root it would go on as another user, who may not read the folder; nobody else may be named.
        let user = getuid() == 0 ? "user: root" : ""
        return try await ForeignServer("h2o", package: "h2o") { port in
            let file = try folder.write(
                "h2o.yaml",
                """
                \(user)
                error-log: /dev/stderr
                num-threads: 1
                listen:
                  host: 127.0.0.1
                  port: \(port)
                  ssl:
                    certificate-file: "\(tls.cert)"
                    key-file: "\(tls.key)"
                    ocsp-update-interval: 0
                hosts:
                  default:
                    paths:
                      "/":
                        mruby.handler: |
                          Proc.new {|env| [200, {}, []]}
                """
            )
            return ["-m", "worker", "-c", file]
        }
    }

    /// Caddy, which answers before it has read the body.
    static func caddy(in folder: Folder, tls: SelfSigned) async throws -> ForeignServer {
        try await ForeignServer("caddy", package: "caddy") { port in
            let file = try folder.write(
                "Caddyfile",
                """
                {
                    admin off
                    auto_https off
                    storage file_system \(folder.path)/caddy
                    servers {
                        protocols h1 h2
                    }
                }
                https://127.0.0.1:\(port) {
                    bind 127.0.0.1
                    tls \(tls.cert) \(tls.key)
                    respond 200
                }
                """
            )
            return ["run", "--config", file, "--adapter", "caddyfile"]
        }
    }
}

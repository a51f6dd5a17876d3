import Foundation
import HTTP2
import LoadEngine
import NetIO

/// Where a run sends to, as `--target` names it.
enum Target {
    /// An embedded mock, in a process of its own.
    case mock
    /// A server that is there already.
    case server(Endpoint)

    /// A server's address.
    struct Endpoint {
        var isTLS: Bool
        /// Name or address, without brackets.
        var host: String
        var port: UInt16

        /// `:authority`: brackets around IPv6, the port unless it is the scheme's own.
        ///
        /// The zone of an IPv6 address means something on this machine alone (RFC 6874 section 1).
        var authority: String {
            let name = host.contains(":") ? "[\(host.prefix { $0 != "%" })]" : host
            return port == (isTLS ? 443 : 80) ? name : "\(name):\(port)"
        }
    }

    /// Reads `mock`, `https://HOST:PORT` or `http://HOST:PORT`.
    init(_ text: String) throws(UsageError) {
        if text == "mock" {
            self = .mock
            return
        }
        let form = "give mock, https://HOST:PORT or http://HOST:PORT"
        guard let parts = URLComponents(string: text), let scheme = parts.scheme,
            ["http", "https"].contains(scheme), var host = parts.host, !host.isEmpty
        else { throw UsageError("--target \(text) is no target: \(form).") }
        guard parts.path.isEmpty || parts.path == "/", parts.query == nil,
            parts.fragment == nil, parts.user == nil
        else {
            throw UsageError(
                "--target \(text) has more than host and port: the paths are the pushes' own; "
                    + "\(form)."
            )
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        let isTLS = scheme == "https"
        guard let port = UInt16(exactly: parts.port ?? (isTLS ? 443 : 80)), port > 0 else {
            throw UsageError("--target \(text) has no port between 1 and 65535: \(form).")
        }
        self = .server(Endpoint(isTLS: isTLS, host: host, port: port))
    }
}

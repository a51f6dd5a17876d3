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

        /// Whether it is one of Apple's.
        var isApple: Bool { AppleGuard.isApple(host) }

        private static let appleProduction = "api.push.apple.com"
        private static let appleSandbox = "api.sandbox.push.apple.com"

        /// Where installs of the sandbox have to be pushed to, where this is Apple's production host.
        ///
        /// The other way round there is none: who names the sandbox means all to go there.
        var sandbox: Endpoint? {
            guard AppleGuard.canonical(host) == Self.appleProduction else { return nil }
            return Endpoint(isTLS: isTLS, host: Self.appleSandbox, port: port)
        }
    }

    /// The server, if it is one.
    var endpoints: [Endpoint] {
        if case .server(let endpoint) = self { [endpoint] } else { [] }
    }

    /// Where pushes to installs of the sandbox go, if not to `target`.
    static func sandbox(
        _ arguments: Arguments,
        besides target: Target
    ) throws(UsageError) -> Endpoint? {
        guard let text = arguments["sandbox-target"] else {
            if case .server(let endpoint) = target { return endpoint.sandbox }
            return nil
        }
        guard case .server = target else {
            throw UsageError("--sandbox-target goes with the address of a --target: give both.")
        }
        guard case .server(let endpoint) = try Target(text, flag: "sandbox-target") else {
            throw UsageError("--sandbox-target \(text) is no target: give the URL of a server.")
        }
        return endpoint
    }

    /// Reads `mock`, `https://HOST:PORT` or `http://HOST:PORT`.
    init(_ text: String, flag: String = "target") throws(UsageError) {
        if text == "mock" {
            self = .mock
            return
        }
        let form = "give mock, https://HOST:PORT or http://HOST:PORT"
        guard let parts = URLComponents(string: text), let scheme = parts.scheme,
            ["http", "https"].contains(scheme), var host = parts.host, !host.isEmpty
        else { throw UsageError("--\(flag) \(text) is no target: \(form).") }
        guard parts.path.isEmpty || parts.path == "/", parts.query == nil,
            parts.fragment == nil, parts.user == nil
        else {
            throw UsageError(
                "--\(flag) \(text) has more than host and port: the paths are the pushes' own; "
                    + "\(form)."
            )
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        let isTLS = scheme == "https"
        guard let port = UInt16(exactly: parts.port ?? (isTLS ? 443 : 80)), port > 0 else {
            throw UsageError("--\(flag) \(text) has no port between 1 and 65535: \(form).")
        }
        self = .server(Endpoint(isTLS: isTLS, host: host, port: port))
    }
}

import Metrics
import NetIO
import Results

/// `--metrics-listen HOST:PORT`, of `run` and `mock`.
enum MetricsFlag {
    static let flag = CommandSpec.Flag(
        name: "metrics-listen",
        value: "HOST:PORT",
        help: "Serve Prometheus metrics there, at /metrics; port 0 is any free one and is told on "
            + "stderr. Only a named HOST is reached from elsewhere: :PORT is loopback."
    )

    /// Starts to serve what `render` writes, where the flag asks for it.
    ///
    /// - Throws: ``UsageError`` for a malformed value; a ``CommandFault`` with exit code 1 where the
    ///   address cannot be listened on.
    static func serve(
        _ arguments: Arguments,
        _ render: @escaping @Sendable (inout MetricsText) -> Void
    ) throws -> MetricsServer? {
        guard let place = try place(arguments) else { return nil }
        let server: MetricsServer
        do {
            server = try MetricsServer(
                host: place.host,
                port: place.port,
                report: { Terminal.complain("--metrics-listen: \($0)") }
            ) {
                var text = MetricsText()
                text.begin("pushbench_build_info", .gauge, "The program; the value is always 1.")
                text.sample("pushbench_build_info", labels: [("version", Pushbench.version)], 1)
                render(&text)
                let usage = ProcessUsage.current()
                text.add(
                    "pushbench_cpu_seconds_total",
                    .counter,
                    "CPU time of this process.",
                    Double(usage.cpuNanoseconds) / 1e9
                )
                text.add(
                    "pushbench_peak_resident_memory_bytes",
                    .gauge,
                    "The most memory that this process held at once.",
                    Double(usage.peakRSSBytes)
                )
                return text
            }
        } catch { throw CommandFault(.runFailed, "--metrics-listen: \(error)") }
        let address = server.address
        let host = address.isIPv6 ? "[\(address.host)]" : address.host
        Terminal.complain("The metrics are at http://\(host):\(address.port)/metrics")
        return server
    }

    /// Reads the flag; nil where it was not given.
    static func place(
        _ arguments: Arguments
    ) throws(UsageError) -> (host: String, port: UInt16)? {
        guard let text = arguments[flag.name] else { return nil }
        let colon = text.lastIndex(of: ":")
        let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
        var host = colon.map { text[..<$0] } ?? ""
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        // Without brackets the end of an IPv6 address could be taken for a port.
        let isBare = host.contains(":") && !text.hasPrefix("[")
        guard let port = UInt16(digits), !isBare else {
            throw UsageError(
                "--metrics-listen \(text) does not fit: give HOST:PORT, for example 127.0.0.1:9464 "
                    + "or [::1]:0."
            )
        }
        return (host.isEmpty ? "127.0.0.1" : String(host), port)
    }
}

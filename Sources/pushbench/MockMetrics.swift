import Metrics
import MockAPNs

/// What a mock shows of itself: its counters, as the admin endpoint has them too.
enum MockMetrics {
    /// Writes the counts as they are now.
    static func write(_ counts: MockCounts, to text: inout MetricsText) {
        func counter(_ name: String, _ help: String, _ value: UInt64) {
            text.add("pushbench_mock_\(name)", .counter, help, Double(value))
        }
        counter("requests_total", "Requests for a push, accepted or refused.", counts.requests)
        counter("accepted_total", "Pushes answered with 200.", counts.accepted)
        text.begin("pushbench_mock_refused_total", .counter, "Pushes refused, by reason.")
        for row in counts.refusals {
            text.sample(
                "pushbench_mock_refused_total",
                labels: [("reason", row.reason)],
                Double(row.count)
            )
        }
        counter("body_bytes_total", "Bytes of push bodies.", counts.bodyBytes)
        counter(
            "contents_checked_total",
            "Accepted pushes whose content was looked at.",
            counts.contentChecked
        )
        text.begin(
            "pushbench_mock_content_faults_total",
            .counter,
            "Contents that were not as they should be, by fault."
        )
        for row in counts.contentFaults {
            text.sample(
                "pushbench_mock_content_faults_total",
                labels: [("fault", row.fault.name)],
                Double(row.count)
            )
        }
        counter("connections_opened_total", "Connections taken.", counts.connectionsOpened)
        counter("connections_closed_total", "Connections that ended.", counts.connectionsClosed)
        text.add(
            "pushbench_mock_connections",
            .gauge,
            "Connections that are open.",
            Double(counts.connectionsOpen)
        )
        counter("handshakes_failed_total", "TLS handshakes that failed.", counts.handshakesFailed)
        counter(
            "protocol_errors_total",
            "Connections closed because the peer broke the rules of HTTP/2.",
            counts.protocolErrors
        )
        text.add(
            "pushbench_mock_loop_cpu_seconds_total",
            .counter,
            "CPU time of the event loops.",
            Double(counts.cpuNanoseconds) / 1e9
        )
    }
}

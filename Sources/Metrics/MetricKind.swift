/// What a metric's samples mean to Prometheus.
public enum MetricKind: String, Sendable {
    /// A count that only grows; its name ends in `_total`.
    case counter
    /// A value that goes up and down.
    case gauge
    /// Counts by upper bounds, with their sum.
    case histogram
}

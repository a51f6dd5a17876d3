public import HDRHistogram

/// What a finished run measured, merged over its loops.
public struct RunReport {
    /// How the pushes ended.
    public var account: Account
    /// From the first due time to the last answer, in nanoseconds.
    public var sendNanoseconds: UInt64
    /// Body bytes handed to the sockets.
    public var bodyBytes: Int
    /// Requests sent again because the first was certainly not processed, or, where that was asked
    /// for, its answer lost.
    public var resent: Int
    /// Requests sent again because of their answer; each push counts once in the account.
    public var retried: Int
    /// The answers for which pushes were sent again, by reason.
    public var retriedReasons: [String: Int]
    /// The installs whose tokens the target calls bad, each once, in the order of the audience.
    public var rejectedTokens: [RejectedToken]
    /// The provider tokens that were made during the run.
    public var renewals: [Renewal]
    /// The answers by nanoseconds since the start of the run.
    public var makespan: Histogram
    /// Response, service and lateness histograms, in nanoseconds.
    public var latency: Latency
    /// CPU time and memory.
    public var cost: Cost
    /// The connections that ended first, at most 1,000.
    public var connections: [Connection]
    /// The other connections, by reason.
    public var moreConnections: [ConnectionTotal]
    /// One point a second.
    public var series: [SeriesPoint]
    /// The TLS version, for example TLSv1.3; nil without TLS or connection.
    public var tlsVersion: String?
    /// Whether the clock ended the run, not a number of pushes.
    public var wasBoundByClock: Bool
    /// Whether the run was stopped before its goal.
    public var wasInterrupted: Bool
    /// The first error that ended a connection or kept one from opening, as a sentence.
    public var firstFailure: String?
    /// Largest share of the run's time in which a loop waited for rendering, 0...1.
    public var renderWait: Double
    /// Share of the run's time in which the busiest loop's thread used the CPU, 0...1.
    public var busiestLoop: Double
    /// What was made before the send; nil where the send did it all.
    public var preparation: Preparation?

    /// An install whose token is bad.
    public struct RejectedToken: Equatable, Sendable {
        /// The install's place in its table.
        public var install: Int
        /// Why, in the target's words.
        public var reason: String
        /// When the target knew that the device was gone, in milliseconds since 1970; nil where not
        /// told.
        public var timestamp: Int64?

        /// Makes one from its parts.
        public init(install: Int, reason: String, timestamp: Int64?) {
            self.install = install
            self.reason = reason
            self.timestamp = timestamp
        }
    }

    /// A provider token made anew, and what that did to the throughput.
    public struct Renewal: Equatable, Sendable {
        /// When, in nanoseconds since the start of the run.
        public var instant: UInt64
        /// Answers in the second of the renewal; nil where that second is not whole.
        public var rate: Int?
        /// The median of the answers in the seconds around it; nil where there are none.
        public var usualRate: Int?
    }

    /// The phase before the send in which secrets were made (design 3.3).
    public struct Preparation: Equatable, Sendable {
        /// How many secrets were made.
        public var secrets: Int
        /// How long it took, in nanoseconds.
        public var nanoseconds: UInt64
        /// CPU time over all render queues, in nanoseconds.
        public var cpuNanoseconds: UInt64
        /// The memory that the secrets take, in bytes.
        public var bytes: Int
    }

    /// How every push ended: the four sums add up to the audience (design 3.6).
    public struct Account: Equatable, Sendable {
        /// Pushes that were to be made.
        public var audience = 0
        /// Answered with 200.
        public var accepted = 0
        /// Answered with another status, by reason.
        public var rejected: [String: Int] = [:]
        /// Sent, but the connection died or the answer never came.
        public var unknown = 0
        /// Not sent, or sent and certainly not processed.
        public var neverSent = 0
        /// Pushes whose end was told twice, or that the books disagree on: an error of the engine.
        public var duplicates = 0

        /// Whether each push ended exactly once.
        public var addsUp: Bool {
            duplicates == 0
                && accepted + rejected.values.reduce(0, +) + unknown + neverSent == audience
        }
    }

    /// The latency histograms, in nanoseconds, without the warm-up.
    public struct Latency {
        /// Answer minus due time.
        public var response: Histogram
        /// Answer minus hand-over to the socket.
        public var service: Histogram
        /// Hand-over to the socket minus due time.
        public var lateness: Histogram
    }

    /// What the client's process spent between the start and the last answer.
    public struct Cost: Sendable {
        /// CPU time of the process, in nanoseconds.
        public var cpuNanoseconds: UInt64
        /// Of that: rendering, over all render queues.
        public var renderNanoseconds: UInt64
        /// Of that: the event loops (HTTP/2, TLS, sockets, measuring).
        public var loopNanoseconds: UInt64
        /// Peak resident set of the process, in bytes.
        public var peakRSSBytes: UInt64
    }

    /// One connection's life; instants are nanoseconds since the start of the run.
    public struct Connection: Sendable {
        /// When it was asked for.
        public var opened: UInt64
        /// When it ended.
        public var closed: UInt64
        /// Why it ended before the run did; nil where it lived to the end.
        public var reason: String?
        /// Pushes answered on it.
        public var pushes: Int

        /// The same while the connection lives.
        final class Builder {
            private let opened: UInt64
            var pushes = 0
            /// What the target gave as reason, if it did.
            var reason: String?

            init(openedAt opened: UInt64) { self.opened = opened }

            func finish(at closed: UInt64, reason: String?) -> Connection {
                let text = reason.map { reason in
                    String(
                        String.UnicodeScalarView(reason.unicodeScalars.prefix(Self.longestReason))
                    )
                }
                return Connection(opened: opened, closed: closed, reason: text, pushes: pushes)
            }

            /// A target's own words may be long.
            private static let longestReason = 200
        }
    }

    /// Connections that ended for one reason.
    public struct ConnectionTotal: Equatable, Sendable {
        /// Why they ended before the run did; nil where they lived to the end.
        public var reason: String?
        /// How many there were.
        public var connections: Int
        /// Pushes answered on them.
        public var pushes: Int
    }

    /// How many connections were opened.
    public var connectionsOpened: Int {
        moreConnections.reduce(connections.count) { $0 + $1.connections }
    }

    /// One second of the run, over all loops.
    public struct SeriesPoint: Sendable {
        /// The second, from 0.
        public var second: Int
        /// Pushes sent.
        public var sent: Int
        /// Pushes accepted.
        public var accepted: Int
        /// Pushes rejected.
        public var rejected: Int
        /// Answer minus hand-over to the socket; nil without answers.
        public var service: Times?
        /// Answer minus due time; nil without answers.
        public var response: Times?
        /// Pushes in flight at the second's end.
        public var inFlight: Int

        /// Percentiles of the answers of a second, in nanoseconds.
        public struct Times: Equatable, Sendable {
            /// The median.
            public var p50: UInt64
            /// The 99th percentile.
            public var p99: UInt64

            /// Reads them from a histogram; nil from an empty one.
            init?(_ histogram: Histogram) {
                guard histogram.count > 0 else { return nil }
                p50 = UInt64(clamping: histogram.value(atPercentile: 50))
                p99 = UInt64(clamping: histogram.value(atPercentile: 99))
            }
        }
    }
}

/// Why a run could not be made.
public enum LoadError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The audience has no install.
    case emptyAudience
    /// A thread, an epoll or a histogram could not be made.
    case setUp(String)
    /// Secrets cannot be prepared for a run that the clock ends.
    case preparationNeedsCount
    /// The prepared secrets would take more memory than they may.
    case preparationTooLarge(pushes: Int, bytes: Int, limit: Int)

    /// One sentence that names the thing and the mend.
    public var description: String {
        switch self {
        case .emptyAudience: "The audience has no installs: give at least one."
        case .preparationNeedsCount:
            "Secrets can be prepared only for a known number of pushes: give --pushes instead of "
                + "--duration, or --encryption inline."
        case .preparationTooLarge(let pushes, let bytes, let limit):
            "The secrets of \(pushes) pushes take \(bytes >> 20) MiB and may take \(limit >> 20): "
                + "send at most \(limit / max(1, bytes / max(1, pushes))) pushes, or give "
                + "--encryption inline."
        case .setUp(let cause): "The run could not be set up: \(cause)"
        }
    }
}

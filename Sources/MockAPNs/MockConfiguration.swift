public import HTTP2
public import NetIO

/// How a mock listens, checks and answers.
public struct MockConfiguration: Sendable {
    /// What lies between TCP and HTTP/2.
    public enum Transport: Sendable {
        /// HTTP/2 in the clear by prior knowledge (h2c).
        case plain
        /// TLS with this certificate; nil makes a new one for ``MockConfiguration/certificateNames``.
        case tls(TLSIdentity?)
    }

    /// The address to listen on; loopback unless somebody means otherwise.
    public var host = "127.0.0.1"
    /// The port to listen on; 0 takes a free one.
    public var port: UInt16 = 0
    /// TLS or not.
    public var transport = Transport.tls(nil)
    /// Names and addresses of a certificate that is made; the host is added.
    public var certificateNames = ["localhost", "127.0.0.1", "::1"]
    /// A PEM file of authorities whose client certificates are taken in place of a provider token.
    ///
    /// Any other certificate is BadCertificate. Without the file none is asked for.
    public var clientCAFile: String?
    /// What is checked and answered.
    public var rules = APNsRules()
    /// Looks into the bodies of accepted pushes; nil leaves that out.
    public var content: ContentCheck?
    /// When and how the mock answers beyond its rules; one that accepts all at once costs nothing.
    public var personality = Personality() {
        didSet {
            rules.script.mix = ReasonMix(personality.reasons, seed: personality.seed)
        }
    }
    /// Where every request is written down; nil leaves that out.
    public var record: RequestRecord?
    /// The HTTP/2 implementation.
    public var engine = HTTP2Engine.wire
    /// The number of event-loop threads; less than 1 counts as 1.
    public var loops = 1
    /// The CPUs that the loops are bound to, in turn; empty leaves them to the system.
    public var cpus: [Int] = []
    /// What each connection announces.
    public var settings = SessionSettings()
    /// How long a TLS handshake may take, in nanoseconds.
    public var handshakeTimeoutNanoseconds: UInt64 = 10_000_000_000
    /// How long a peer may take, without any other request made whole meanwhile, to finish what it began
    /// (preface, frame, header block, request) or to read what it was answered; in nanoseconds.
    public var requestTimeoutNanoseconds: UInt64 = 30_000_000_000
    /// How long a connection may send nothing before it is closed, in nanoseconds; nil: for ever.
    public var idleTimeoutNanoseconds: UInt64? = 3_600_000_000_000
    /// Bytes of unfinished exchanges that all connections may hold together: requests that are not whole,
    /// and answers that are not taken.
    ///
    /// Each loop has an equal share, of 64 MiB at least, or all of it where it is less: ten connections
    /// of a thousand pushes under way fit. Over it, the loop's connection that holds most is closed.
    public var unfinishedByteLimit = 512 << 20
    /// How long ``MockServer/stop()`` waits for answers that are due later and peers that do not read, in
    /// nanoseconds.
    public var drainTimeoutNanoseconds: UInt64 = 1_000_000_000
    /// Gets a sentence about trouble that does not end the mock; called by loops' threads.
    public var report: @Sendable (String) -> Void = { _ in }

    /// A loop's share of ``unfinishedByteLimit``.
    var unfinishedBytesPerLoop: Int {
        max(unfinishedByteLimit / max(1, loops), min(unfinishedByteLimit, 64 << 20))
    }

    /// Makes the configuration of a mock on a free loopback port, with TLS and full checks.
    public init() {}
}

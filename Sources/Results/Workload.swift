/// What was asked of a run: all that two results must share to be compared.
public struct Workload: Codable, Equatable, Sendable {
    /// The sizes of the bodies that were sent, in bytes.
    public struct BodyBytes: Codable, Equatable, Sendable {
        /// The smallest body.
        public var min: Int
        /// The mean over all installs.
        public var mean: Double
        /// The largest body.
        public var max: Int
        /// The most that APNs takes for the push type; absent in older results.
        public var limit: Int?
        /// The longest body that an install of the audience could get, by the message's language;
        /// absent where the message has none.
        public var byLanguage: [String: Int]?

        /// Makes the sizes.
        ///
        /// - Parameters:
        ///   - min: The smallest body.
        ///   - mean: The mean over all installs.
        ///   - max: The largest body.
        ///   - limit: The most that APNs takes, if known.
        ///   - byLanguage: The longest body by the message's language, if it has languages.
        public init(
            min: Int,
            mean: Double,
            max: Int,
            limit: Int? = nil,
            byLanguage: [String: Int]? = nil
        ) {
            self.min = min
            self.mean = mean
            self.max = max
            self.limit = limit
            self.byLanguage = byLanguage
        }
    }

    /// Sixteen hex digits over every field that decides whether results are comparable.
    ///
    /// Left out are ``seed`` and ``bodyBytes``: another seed is another draw of the same workload,
    /// and body sizes are an outcome of message and installs.
    public private(set) var hash: String
    /// The dialect of the message.
    public let dialect: String
    /// A digest of the message, or the name of a built-in one.
    public let message: String?
    /// The HTTP/2 engine.
    public let engine: String
    /// The encryption mode; absent for a dialect without.
    public let encryption: String?
    /// How many installs the audience has.
    public let installs: Int
    /// The weight of each language, as the mix was given or as a file's counts.
    public let languages: [String: Double]
    /// The sizes of the bodies.
    public let bodyBytes: BodyBytes?
    /// The TLS version; `none` for plain HTTP/2.
    public let tls: String
    /// How the sender authenticates: `token`, `certificate` or `none`.
    public let auth: String
    /// The connections asked for.
    public let connections: Int
    /// The most streams in flight on one connection.
    public let streams: Int
    /// `closed` or `open` loop.
    public let mode: String
    /// The pushes per second an open loop asks for.
    public let rate: Double?
    /// The arrival process of an open loop.
    public let arrivals: String?
    /// The seed of everything random.
    public let seed: UInt64?
    /// Whatever else makes runs unlike, by option name: target, loops, render workers, warm-up.
    public let settings: [String: String]?

    /// Makes a workload and its hash.
    ///
    /// - Parameters:
    ///   - dialect: The dialect of the message.
    ///   - message: A digest of the message, or the name of a built-in one.
    ///   - engine: The HTTP/2 engine.
    ///   - encryption: The encryption mode; nil for a dialect without.
    ///   - installs: How many installs the audience has.
    ///   - languages: The weight of each language.
    ///   - bodyBytes: The sizes of the bodies, if known.
    ///   - tls: The TLS version or `none`.
    ///   - auth: `token`, `certificate` or `none`.
    ///   - connections: The connections asked for.
    ///   - streams: The most streams in flight on one connection.
    ///   - mode: `closed` or `open`.
    ///   - rate: The pushes per second an open loop asks for.
    ///   - arrivals: The arrival process of an open loop.
    ///   - seed: The seed of everything random.
    ///   - settings: Whatever else makes runs unlike, by option name.
    public init(
        dialect: String,
        message: String? = nil,
        engine: String,
        encryption: String? = nil,
        installs: Int,
        languages: [String: Double],
        bodyBytes: BodyBytes? = nil,
        tls: String,
        auth: String,
        connections: Int,
        streams: Int,
        mode: String,
        rate: Double? = nil,
        arrivals: String? = nil,
        seed: UInt64? = nil,
        settings: [String: String] = [:]
    ) {
        self.dialect = dialect
        self.message = message
        self.engine = engine
        self.encryption = encryption
        self.installs = installs
        self.languages = languages
        self.bodyBytes = bodyBytes
        self.tls = tls
        self.auth = auth
        self.connections = connections
        self.streams = streams
        self.mode = mode
        self.rate = rate
        self.arrivals = arrivals
        self.seed = seed
        self.settings = settings.isEmpty ? nil : settings

        hash = ""
        var digest = StableDigest("pushbench.workload/1")
        for field in identity { digest.add(field.name, field.value) }
        hash = digest.hex
    }
}

import Foundation
import HTTP2
import LoadEngine
import NetIO
import PushModel
import PushPayload
import Results

/// All that a run was asked for, and the engine's configuration and the workload that follow.
struct RunPlan {
    let arguments: Arguments
    let options: RunOptions
    let payload: CompiledPayload
    let audience: Audience
    let source: MessageSource
    let scenario: String?

    /// The installs of this shard.
    var audienceSize: Int { options.shardSize(ofInstalls: audience.table.count) }

    var goal: PushGoal { options.goal ?? .pushes(audienceSize) }

    /// How secrets are made; nil where nothing is encrypted.
    var encryption: EncryptionMode? {
        guard payload.isSealed, audience.table.installsWithKey > 0 else { return nil }
        return options.encryption
    }

    /// The engine's configuration against an endpoint, and one for the sandbox's installs if given.
    func configuration(
        endpoint: Target.Endpoint,
        sandbox: Target.Endpoint? = nil,
        caFile: String?,
        isInsecure: Bool,
        credentials: Credentials
    ) throws -> RunConfiguration {
        if isInsecure, endpoint.isTLS || sandbox?.isTLS == true {
            Terminal.complain(
                "pushbench: --insecure takes any certificate: this target is not verified."
            )
        }
        // Made once, though two endpoints need it: the CA file may be a pipe.
        let tls =
            endpoint.isTLS || sandbox?.isTLS == true
            ? try Self.tls(caFile, isInsecure, credentials) : nil
        let main = try self.endpoint(endpoint, tls, credentials)
        var configuration = RunConfiguration(
            target: main.target,
            profile: main.profile,
            tls: main.tls,
            goal: goal
        )
        if let sandbox {
            configuration.sandbox = try self.endpoint(sandbox, tls, credentials)
        }
        if let signer = credentials.signer {
            configuration.tokens = try ProviderTokenSource(signer: signer, ages: options.tokenAges)
        }
        configuration.engine = options.engine
        configuration.load = options.load
        configuration.connections = options.connections
        configuration.streams = options.streams
        configuration.loops = options.loops
        configuration.renderQueues = options.renderQueues
        configuration.warmUpNanoseconds = options.warmUpNanoseconds
        configuration.seed = options.seed
        configuration.shard = options.shard
        configuration.timeouts = options.timeouts
        configuration.retries.limit = options.retryLimit
        configuration.retries.delay =
            options.retryDelay
            ?? Self.defaultRetryDelay(arguments, [endpoint, sandbox].compactMap(\.self))
        configuration.retries.resendsUnknown = options.resend == .unknown
        if arguments.has("journal") { configuration.runID = journalRunID }
        return configuration
    }

    /// What Apple asks for before a push goes there again, and less elsewhere.
    static func defaultRetryDelay(
        _ arguments: Arguments,
        _ endpoints: [Target.Endpoint]
    ) -> UInt64 {
        if arguments["target"] ?? "mock" == "mock" { return 100_000_000 }
        return endpoints.contains(where: \.isApple) ? 900_000_000_000 : 1_000_000_000
    }

    private static func tls(
        _ caFile: String?,
        _ isInsecure: Bool,
        _ credentials: Credentials
    ) throws -> TLSContext {
        do {
            return try .client(
                TLSContext.ClientOptions(
                    caFile: caFile,
                    insecure: isInsecure,
                    identity: credentials.identity
                )
            )
        } catch { throw CommandFault(.invalidInput, error.description) }
    }

    private func endpoint(
        _ endpoint: Target.Endpoint,
        _ tls: TLSContext?,
        _ credentials: Credentials
    ) throws -> RunConfiguration.Endpoint {
        let addresses: [SocketAddress]
        do {
            addresses = try SocketAddress.resolve(host: endpoint.host, port: endpoint.port)
        } catch { throw CommandFault(.runFailed, error.description) }
        var headers = payload.headers
        if headers.topic == nil {
            headers.topic = RunOptions.defaultTopic + headers.pushType.topicSuffix
        }
        let profile = RequestProfile(
            scheme: endpoint.isTLS ? "https" : "http",
            authority: endpoint.authority,
            fields: headers.fields.map { RequestProfile.Field(name: $0.name, value: $0.value) },
            authorization: credentials.authorization,
            indexing: options.indexing
        )
        // An address in digits stays what it is.
        let isLiteral = addresses.count == 1 && addresses[0].host == endpoint.host.lowercased()
        let (host, port) = (endpoint.host, endpoint.port)
        var target = RunConfiguration.Target(host: host, addresses: addresses)
        if !isLiteral {
            target.lookUp = { () throws(NetIOError) in
                try SocketAddress.resolve(host: host, port: port)
            }
        }
        return RunConfiguration.Endpoint(
            target: target,
            profile: profile,
            tls: endpoint.isTLS ? tls : nil
        )
    }

    /// The options of the message that change a body.
    var effectiveOptions: [String] { source.options.effective(in: payload.dialect) }

    /// What makes results comparable.
    func workload(tls: String, auth: String) -> Workload {
        var message = StableDigest("pushbench.message/1")
        message.add("bytes", bytes: source.bytes)
        for option in effectiveOptions { message.add("option", option) }
        var rate: Double?
        var arrivals: String?
        if case .openLoop(let offered, let spacing) = options.load {
            rate = offered
            arrivals = spacing.rawValue
        }
        return Workload(
            dialect: payload.dialect.rawValue,
            message: message.hex,
            engine: options.engine.rawValue,
            encryption: encryption?.rawValue,
            installs: audienceSize,
            languages: languageShares,
            bodyBytes: bodyBytes,
            tls: tls,
            auth: auth,
            connections: options.connections,
            streams: options.streams,
            mode: rate == nil ? "closed" : "open",
            rate: rate,
            arrivals: arrivals,
            seed: options.seed,
            settings: WorkloadSettings.settings(of: self)
        )
    }

    /// How many installs have each language index.
    private var languageCounts: [Int] {
        var counts = [Int](repeating: 0, count: audience.table.languages.count)
        for index in 0..<audience.table.count {
            counts[Int(audience.table.record(at: index).languageIndex)] += 1
        }
        return counts
    }

    /// Shares of the audience by device language, rounded so that seeds do not matter.
    private var languageShares: [String: Double] {
        if let shares = WorkloadSettings.shares(of: audience) { return shares }
        var shares: [String: Double] = [:]
        let total = Double(audience.table.count)
        for (index, count) in languageCounts.enumerated() where count > 0 {
            let name = audience.table.languages[index]
            shares[name.isEmpty ? "none" : name] = (100 * Double(count) / total).rounded() / 100
        }
        return shares
    }

    /// The bodies' sizes over the audience, badges and user ids of installs included.
    private var bodyBytes: Workload.BodyBytes? {
        let table = audience.table
        guard table.count > 0 else { return nil }
        let variants = table.languages.map { payload.variant(forDeviceLanguage: $0) }
        var total = 0
        var smallest = Int.max
        var largest = 0
        for index in 0..<table.count {
            let record = table.record(at: index)
            let variant = variants[Int(record.languageIndex)]
            let size =
                payload.isSealed && record.key != nil
                ? payload.sealedBodySize(variant: variant, badge: record.badge, uid: record.uid)
                : payload.bodySize(variant: variant, badge: record.badge, uid: record.uid)
            total += size
            smallest = min(smallest, size)
            largest = max(largest, size)
        }
        let report = Message.sizeReport(payload, for: table)
        var byLanguage: [String: Int] = [:]
        for body in report.bodies {
            if let language = body.language { byLanguage[language] = body.bytes }
        }
        return Workload.BodyBytes(
            min: smallest,
            mean: Double(total) / Double(table.count),
            max: largest,
            limit: report.limit,
            byLanguage: byLanguage.isEmpty ? nil : byLanguage
        )
    }
}

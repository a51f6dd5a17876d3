import PushModel

/// A message file and how it is to be read.
public struct MessageSource: Sendable {
    /// The file's bytes.
    public var bytes: [UInt8]
    /// Whether the file is of the simulator's format: its name ends in `.apns` (contract 10.2).
    public var isSimulatorFile: Bool
    /// The choices behind `--option`.
    public var options: PayloadOptions
    /// Whether every warning is an error.
    public var isStrict: Bool
    /// The app's bundle id behind `--topic`; it wins over the one of a simulator file.
    public var topic: String?

    /// Describes a message.
    public init(
        bytes: [UInt8],
        isSimulatorFile: Bool = false,
        options: PayloadOptions = PayloadOptions(),
        isStrict: Bool = false,
        topic: String? = nil
    ) {
        self.bytes = bytes
        self.isSimulatorFile = isSimulatorFile
        self.options = options
        self.isStrict = isStrict
        self.topic = topic
    }
}

/// What reading a message gave.
public struct PayloadCompilation: Sendable {
    /// Faults and warnings in the order of the message's fields.
    public var faults: [PayloadFault]
    /// The message, ready to send; nil where a fault is an error.
    public var payload: CompiledPayload?
}

extension MessageSource {
    /// Reads, checks and compiles the message.
    ///
    /// Sizes are not checked yet: see ``CompiledPayload/checkSizes(widestBadge:longestUID:shapes:)``.
    ///
    /// - Parameter hasInstallBadges: Whether installs bring badges, which count as something to
    ///   show (contract 11 `c-badge-install`).
    /// - Returns: The faults, and the message where none of them is an error.
    public func compile(hasInstallBadges: Bool = false) -> PayloadCompilation {
        var faults = FaultList(isStrict: isStrict)
        guard let root = root(&faults),
            let (dialect, message) = message(root, hasInstallBadges: hasInstallBadges, &faults)
        else { return PayloadCompilation(faults: faults.all, payload: nil) }
        let headers = headers(of: message, &faults)
        guard !faults.hasErrors, let headers else {
            return PayloadCompilation(faults: faults.all, payload: nil)
        }
        let payload = CompiledPayload(
            dialect: dialect,
            message: message,
            headers: headers,
            usesAliases: options.languageAliases
        )
        return PayloadCompilation(faults: faults.all, payload: payload)
    }

    /// The dialect that the message names; nil where it names none or cannot be read.
    public var dialect: Dialect? {
        if isSimulatorFile { return .apns }
        guard case .value(.object(let root)) = JSONDocument.parse(bytes),
            case .string(let word) = root["dialect"]
        else { return nil }
        return Dialect(rawValue: word)
    }

    private func root(_ faults: inout FaultList) -> JSONObject? {
        switch JSONDocument.parse(bytes) {
        case .faults(let found):
            faults.append(found)
            return nil
        case .value(.object(let object)): return object
        case .value(let value):
            faults.add(.wrongType, at: "", "a message is one JSON object, not \(value.kind)")
            return nil
        }
    }

    private func message(
        _ root: JSONObject,
        hasInstallBadges: Bool,
        _ faults: inout FaultList
    ) -> (Dialect, any DialectMessage)? {
        if isSimulatorFile {
            let message = APNsMessage(
                simulatorFile: root,
                hasInstallBadges: hasInstallBadges,
                &faults
            )
            return (.apns, message)
        }
        let reader = FieldReader(root)
        let name = "dialect"
        let words = Dialect.allCases.map(\.rawValue)
        if reader.value(name) == nil {
            let message = "dialect is missing; write \"dialect\":\"\(words[0])\" or another one"
            faults.add(.missingField, at: name, message)
        }
        let word = reader.choice(name, of: words, &faults)
        switch word.flatMap({ Dialect(rawValue: $0) }) {
        case nil: return nil
        case .apns:
            return (.apns, APNsMessage(root, hasInstallBadges: hasInstallBadges, &faults))
        case .mapp: return (.mapp, MappMessage(root, options: options, &faults))
        case .salesforce: return (.salesforce, SalesforceMessage(root, options: options, &faults))
        case .xulo: return (.xulo, XuloMessage(root, options: options, &faults))
        }
    }

    private func headers(of message: any DialectMessage, _ faults: inout FaultList) -> PushHeaders?
    {
        if let topic, !DeliveryFields.isHeaderValue(topic) {
            let message = "the topic must be a bundle id, without control characters"
            faults.add(.invalidHeaderValue, at: "topic", message)
        }
        guard let pushType = message.pushType else { return nil }
        let bundleID = topic ?? message.bundleID
        return PushHeaders(
            pushType: pushType,
            priority: message.delivery.priority ?? pushType.defaultPriority,
            expiration: message.delivery.expiration,
            collapseID: message.delivery.collapseID,
            apnsID: message.delivery.apnsID,
            topic: bundleID.map { $0 + pushType.topicSuffix }
        )
    }
}

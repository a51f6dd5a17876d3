public import PushCrypto
public import PushModel

/// What one install would get, or why it would get nothing (design 4, `pushbench render`).
public struct MessageRendering: Sendable {
    /// Faults and warnings: the message's in the order of its fields, the install's, sizes last.
    public var faults: [PayloadFault]
    /// The body and what goes with it; nil where a fault is an error.
    public var result: RenderedMessage?

    /// The faults that are warnings only.
    public var warnings: [PayloadFault] { faults.filter { $0.severity == .warning } }
}

/// One install's body and what goes with it.
public struct RenderedMessage: Sendable {
    /// The dialect of the message.
    public var dialect: Dialect
    /// The chosen language as the message spells it; nil where it has one text for all.
    public var language: String?
    /// Exactly the bytes that are sent.
    public var body: [UInt8]
    /// The header fields.
    public var headers: PushHeaders

    /// The rendering as one JSON object without a line end (design 4, `render --json`).
    ///
    /// - Parameter warnings: The warnings to list in it.
    /// - Returns: The JSON text.
    public func json(warnings: [PayloadFault]) -> String {
        var headerMembers: [JSONObject.Member] = []
        func add(_ name: String, _ value: String?) {
            guard let value else { return }
            headerMembers.append(.init(key: name, value: .string(value)))
        }
        for field in headers.fields {
            add(field.name, field.value)
            if field.name == "apns-priority", headers.topic == nil {
                add("apns-topic-suffix", headers.pushType.topicSuffix)
            }
        }
        let listed = warnings.map { JSONValue.object($0.jsonObject) }
        let document = JSONObject([
            .init(key: "dialect", value: .string(dialect.rawValue)),
            .init(key: "language", value: language.map { .string($0) } ?? .null),
            .init(key: "bytes", value: .number(.integer(Int64(body.count)))),
            .init(key: "body", value: .string(String(decoding: body, as: UTF8.self))),
            .init(key: "headers", value: .object(JSONObject(headerMembers))),
            .init(key: "warnings", value: .array(listed)),
        ])
        var bytes: [UInt8] = []
        JSONText.append(.object(document), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension MessageSource {
    /// Renders the message for one install, checked as a whole send would be.
    ///
    /// - Parameters:
    ///   - install: The install as a JSON object; nil for one without badge, uid and key.
    ///   - language: The device's language; beats the install's, empty for none.
    /// - Returns: The body and what goes with it, and everything that is wrong.
    public func render(install: [UInt8]? = nil, language: String? = nil) -> MessageRendering {
        var installFaults = FaultList(isStrict: isStrict)
        let dialect = dialect
        let fields = install.map { InstallFields($0, for: dialect, &installFaults) }
        if fields == nil { InstallFields.checkMissing(for: dialect, &installFaults) }
        let compilation = compile(hasInstallBadges: fields?.badge != nil)
        var faults = FaultList(isStrict: isStrict)
        faults.append(compilation.faults)
        faults.append(installFaults)
        guard let payload = compilation.payload, !faults.hasErrors else {
            return MessageRendering(faults: faults.all, result: nil)
        }
        let uid = Array((fields?.uid ?? "").utf8)
        let badge = fields?.badge
        let uidLength = JSONEscapes.byteCount(of: uid.span.bytes)
        let shapes: BodyShapes = fields?.publicKey == nil ? .plain : .sealed
        faults.append(
            payload.checkSizes(widestBadge: badge, longestUID: uidLength, shapes: shapes)
        )
        guard !faults.hasErrors else { return MessageRendering(faults: faults.all, result: nil) }
        let variant = payload.variant(forDeviceLanguage: language ?? fields?.language)
        let languages = payload.variantLanguages
        let body: [UInt8]
        do throws(CryptoError) {
            body =
                if let fields, let key = fields.publicKey {
                    try payload.sealedBody(
                        variant: variant,
                        badge: badge,
                        uid: uid.span.bytes,
                        key: key,
                        padding: fields.padding
                    )
                } else {
                    payload.body(variant: variant, badge: badge, uid: uid.span.bytes)
                }
        } catch {
            faults.add(.invalidPublicKey, at: "install.publicKey", error.description)
            return MessageRendering(faults: faults.all, result: nil)
        }
        let result = RenderedMessage(
            dialect: payload.dialect,
            language: languages.indices.contains(variant) ? languages[variant] : nil,
            body: body,
            headers: payload.headers
        )
        return MessageRendering(faults: faults.all, result: result)
    }
}

extension CompiledPayload {
    /// One install's body as an array, where speed does not matter.
    ///
    /// - Parameters:
    ///   - variant: The index of the body.
    ///   - badge: The install's badge, if it has one.
    ///   - uid: The install's user id in UTF-8; empty for none.
    /// - Returns: The body's bytes.
    public func body(variant: Int, badge: Int64? = nil, uid: RawSpan = RawSpan()) -> [UInt8] {
        let size = bodySize(variant: variant, badge: badge, uid: uid)
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            let memory = UnsafeMutableRawBufferPointer(buffer)
            var output = OutputRawSpan(buffer: memory, initializedCount: 0)
            render(variant: variant, badge: badge, uid: uid, into: &output)
            count = output.finalize(for: memory)
        }
    }

    /// The body of one install with a key as an array, where speed does not matter.
    ///
    /// - Parameters:
    ///   - variant: The index of the body.
    ///   - badge: The install's badge, if it has one.
    ///   - uid: The install's user id in UTF-8.
    ///   - key: The install's key.
    ///   - padding: How the secret is wrapped under it.
    /// - Returns: The body's bytes.
    /// - Throws: ``CryptoError`` where OpenSSL refuses.
    /// - Precondition: The message ``isSealed``.
    public func sealedBody(
        variant: Int,
        badge: Int64? = nil,
        uid: RawSpan,
        key: PublicKey,
        padding: WrapPadding
    ) throws(CryptoError) -> [UInt8] {
        let store = PublicKeyStore()
        let request = SealingRequest(key: SealingKey(index: store.add(key), padding: padding))
        let sealer = try ContentSealer(keys: store)
        let size = sealedBodySize(variant: variant, badge: badge, uid: uid)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        defer { memory.deallocate() }
        var output = OutputRawSpan(buffer: memory, initializedCount: 0)
        try renderSealed(
            variant: variant,
            badge: badge,
            uid: uid,
            with: request,
            sealer: sealer,
            into: &output
        )
        return Array(memory[..<output.finalize(for: memory)])
    }
}

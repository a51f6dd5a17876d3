import CAllocCounter
import PushBuffers
import PushCrypto
import PushModel
import Testing

@testable import PushPayload

/// The rows S1 to S21 of contract section 7: encrypted bodies, read back by a device.
@Suite(.timeLimit(.minutes(5))) struct SalesforceSealingTests {
    private let device: TestDevice

    init() throws { device = try TestDevice.shared.get() }

    private func rendering(
        _ message: String,
        install: String? = nil,
        options: [String] = []
    ) throws -> MessageRendering {
        let source = MessageSource(
            bytes: Array(message.utf8),
            options: try PayloadOptions(parsing: options)
        )
        return source.render(install: Array((install ?? device.install()).utf8))
    }

    private func body(
        _ message: String,
        install: String? = nil,
        options: [String] = []
    ) throws -> String {
        let rendering = try rendering(message, install: install, options: options)
        let body = try #require(rendering.result?.body, "\(rendering.faults)")
        return String(decoding: body, as: UTF8.self)
    }

    private func codes(_ message: String, install: String) throws -> [String] {
        try rendering(message, install: install).faults.map { "\($0.code.rawValue)@\($0.path)" }
    }

    private func object(_ body: String) throws -> JSONObject {
        guard case .value(.object(let object)) = JSONDocument.parse(Array(body.utf8)) else {
            throw PayloadRefusal(code: "", path: "", message: body)
        }
        return object
    }

    // S1, S2, S3, S4
    @Test(arguments: [true, false], ["true", "1"])
    func envelopeIsTheContractsAndTheTextsAreInside(full: Bool, flag: String) throws {
        let body = try body(
            .salesforce(#""fullContent":\#(full),"badge":3"#),
            options: flag == "1" ? ["appleNumericFlags=true"] : []
        )
        let head =
            #"{"aps":{"alert":{"title":"","body":"Contact Updated"},"sound":"default","badge":3,"#
            + #""mutable-content":\#(flag)},"encrypted":true,"secret":""#
        #expect(body.hasPrefix(head))
        let rest = body.dropFirst(head.count)
        #expect(rest.dropFirst(344).hasPrefix(#"","content":""#))
        #expect(rest.hasSuffix(#""}"#))
        let reading = try device.read(body)
        #expect(reading.title == (full ? "Contact Updated" : ""))
        #expect(reading.body == (full ? "Jane" : "Contact Updated"))
        let alert = reading.userInfo["aps"]?.objectValue?["alert"]?.objectValue
        #expect(alert?["body"] == .string(full ? "Jane" : "Contact Updated"))
        #expect(alert?["title"] == .string(full ? "Contact Updated" : ""))
    }

    // S5, S6, S9, S10, S11, S12
    @Test func contentHasItsKeysInOrderAndTheWireItsAlphabet() throws {
        let object = try object(body(.salesforce(#""fullContent":true"#)))
        let secret = try #require(object["secret"]?.stringValue)
        let content = try #require(object["content"]?.stringValue)
        #expect(secret.utf8.count == 344)
        for text in [secret, content] {
            let isStandard = text.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte
                    || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                    || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "+/=".utf8.contains(byte)
            }
            #expect(isStandard)
            #expect(text.utf8.count % 4 == 0)
        }
        let opened = try device.opener.open(
            secret: Array(secret.utf8).span.bytes,
            content: Array(content.utf8).span.bytes
        )
        #expect(
            String(decoding: opened.plaintext, as: UTF8.self)
                == #"{"oid":"O","uid":"U","nid":"N","type":-1,"sid":"S","cid":"all","#
                + #""notifType":"T","alertTitle":"Contact Updated","alertBody":"Jane"}"#
        )
        #expect(opened.padding == .oaepSHA256)
    }

    // S13, S14
    @Test func keysMayHaveLineBreaksOrNoPadding() throws {
        let cubed =
            "MIIBIDANBgkqhkiG9w0BAQEFAAOCAQ0AMIIBCAKCAQEAtSn1Ic9amonlxLjWih4PlaPiJyFClp6JC7vWTn+/visC"
            + "YP6Fi4A8V6l4iBfggYZG4Gg7pE9iMeErRdNEpl6zDtR5goyEE2syr7M4nHyyc+6Cru9OR+U8O5fu/WlNMEAe1Iv3"
            + "q/smBpmSa/r4yb6/Qe+Se1EIP23KDwNnpux2Xb6VFLJj9wsBSXFSL0w0gzf2T0ccWNbozzqu3Y6d+a2/V4llc/al"
            + "EfonwWlO4aUhU6WsnvzZLxlsVsOoaMgAErZ3iM1cHilJGgv+uOUBlG/2r/ZxJdKu2betuU1CPeRVMRVcsThVRbar"
            + "OiYRNbVv76Rxd7XoAxuHuOakgPf+NNBmGwIBAw"
        var lines = ""
        for (index, character) in device.pair.publicKeyBase64.enumerated() {
            lines += index > 0 && index % 64 == 0 ? "\\r\\n\(character)" : String(character)
        }
        for key in [cubed, cubed + "==", cubed + "===", lines, " \(cubed)=\\t"] {
            let install = #"{"token":"ab","uid":"U","publicKey":"\#(key)"}"#
            #expect(try body(.salesforce(), install: install).contains(#""encrypted":true"#))
        }
        let broken = #"{"token":"ab","uid":"U","publicKey":"\#(lines)"}"#
        let reading = try device.read(body(.salesforce(), install: broken))
        #expect(reading.body == "Contact Updated")
    }

    // S15, S17, `c-sf-base64`
    @Test(arguments: [
        "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDBlWNw84ckyftqMy+WluNsaFgF131p2p40ubMd/vH73ObdzTM1"
            + "xdkNDLp4pDbkYQimeLWrwG2A4f/Irns6y7u07aKESt/Ahcv8DE9N3xSuUWWKn0K5JgnFxzZ9IaO7TrbzwJzHCfp1"
            + "HchlwZdhuIWRHNbWErQWnaa7+xxK6URN9wIDAQAB",
        "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEmLDJGni9SdLthcznblaTPNB4Gi7v47snAAQU4n45PNBRhfI1EUly"
            + "vqv9XajKqqMLyUIWgWdVv2j2ToX3KqoD/A==",
        "garbage", "====", "!", "-_-_",
    ])
    func refusesOtherKeys(key: String) throws {
        let install = #"{"token":"ab","uid":"U","publicKey":"\#(key)","cipherName":"RSA"}"#
        #expect(
            try codes(.salesforce(), install: install) == [
                "invalid_public_key@install.publicKey", "unsupported_cipher@install.cipherName",
            ]
        )
    }

    @Test func refusesOtherCiphersWithAKeyOrWithout() throws {
        for name in ["RSA_OAEP_SHA512", "rsa_oaep_sha256", " "] {
            let keyless = #"{"token":"ab","uid":"U","cipherName":"\#(name)"}"#
            for install in [keyless, device.install(cipherName: name)] {
                #expect(
                    try codes(.salesforce(), install: install) == [
                        "unsupported_cipher@install.cipherName"
                    ]
                )
            }
        }
    }

    // `c-sf-empty-key`
    @Test func anEmptyKeyIsNoneAndAnEmptyCipherTheOldOne() throws {
        let plain = #"{"token":"ab","uid":"U","publicKey":"","cipherName":"\#(TestDevice.oaep)"}"#
        #expect(!(try body(.salesforce(), install: plain)).contains("encrypted"))
        let body = try body(.salesforce(), install: device.install(cipherName: ""))
        let object = try object(body)
        let opened = try device.opener.open(
            secret: Array((object["secret"]?.stringValue ?? "").utf8).span.bytes,
            content: Array((object["content"]?.stringValue ?? "").utf8).span.bytes
        )
        #expect(opened.padding == .pkcs1)
    }

    // S16
    @Test func withoutACipherTheDeviceFallsBack() throws {
        let body = try body(.salesforce(), install: device.install(cipherName: nil))
        #expect(try device.read(body).body == "Contact Updated")
    }

    // S18
    @Test func largestContentIsTheContracts() throws {
        let message = String.salesforce(#""badge":3"#)
        let payload = try #require(MessageSource(bytes: Array(message.utf8)).compile().payload)
        let room = 2687 - payload.contentSize(variant: 0, uid: RawSpan())
        let fits = device.install(uid: times("u", room))
        #expect(try rendering(message, install: fits).result?.body.count == 4076)
        #expect(
            try codes(message, install: device.install(uid: times("u", room + 1))) == [
                "payload_too_large@"
            ]
        )
    }

    // S19, S21
    @Test func lengthsDependOnTheMessageAloneAndEveryBodyIsItsInstalls() throws {
        let message = String.salesforce(title: #""a/b""#, body: #""c/d""#, #""fullContent":true"#)
        let payload = try #require(MessageSource(bytes: Array(message.utf8)).compile().payload)
        let store = PublicKeyStore()
        let key = SealingKey(index: store.add(device.pair.publicKey), padding: .oaepSHA256)
        let sealer = try ContentSealer(keys: store)
        var lengths: Set<Int> = []
        var secrets: Set<String> = []
        var contents: Set<String> = []
        for index in 0..<1_000 {
            let uid = "uid\(1_000_000 + index)"
            let body = try sealed(payload, uid: uid, key, sealer)
            lengths.insert(body.utf8.count)
            let object = try object(body)
            secrets.insert(object["secret"]?.stringValue ?? "")
            contents.insert(object["content"]?.stringValue ?? "")
            guard index % 50 == 0 else { continue }
            let reading = try device.read(body)
            #expect(reading.property("uid") == .string(uid))
            #expect(reading.title == "a/b")
        }
        #expect(lengths.count == 1)
        #expect(secrets.count == 1_000)
        #expect(contents.count == 1_000)
    }

    private func sealed(
        _ payload: CompiledPayload,
        uid: String,
        _ key: SealingKey,
        _ sealer: ContentSealer
    ) throws -> String {
        let uid = Array(uid.utf8)
        let size = payload.sealedBodySize(variant: 0, badge: nil, uid: uid.span.bytes)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 1)
        defer { memory.deallocate() }
        var output = OutputRawSpan(buffer: memory, initializedCount: 0)
        try payload.renderSealed(
            variant: 0,
            badge: nil,
            uid: uid.span.bytes,
            with: SealingRequest(key: key),
            sealer: sealer,
            into: &output
        )
        #expect(output.freeCapacity == 0)
        return String(decoding: memory[..<output.finalize(for: memory)], as: UTF8.self)
    }

    // S20
    @Test func textsAreTheSameBytesInside() throws {
        let text = "Åäö 🎉"
        let body = try body(
            .salesforce(title: #""t""#, body: #""\#(text)""#, #""fullContent":true"#)
        )
        #expect(try device.read(body).body == text)
    }

    @Test func uidAndBadgeOfTheInstallAreEscapedAndInPlace() throws {
        let install = device.install(uid: #"a\"\u0001"#, #","badge":40"#)
        let body = try body(.salesforce(#""badge":3"#), install: install)
        #expect(body.contains(#""badge":40,"#))
        #expect(try device.read(body).property("uid") == .string("a\"\u{1}"))
    }

    @Test func customKeysAreInTheContentAlone() throws {
        let body = try body(.salesforce(#""custom":{"k":[1,{}]}"#))
        #expect(!body.contains(#""k""#))
        #expect(
            try device.read(body).userInfo["k"]
                == .array([.number(.integer(1)), .object(JSONObject())])
        )
    }

    @Test func maximumSizeIsThatOfTheLongestInstall() throws {
        let payload = try #require(
            MessageSource(bytes: Dialect.salesforce.sampleMessage).compile().payload
        )
        let uid = Array("\"\u{1}x".utf8)
        for variant in 0..<payload.variantCount {
            let body = try payload.sealedBody(
                variant: variant,
                badge: 1234,
                uid: uid.span.bytes,
                key: device.pair.publicKey,
                padding: .oaepSHA256
            )
            let most = payload.maximumBodySize(
                variant: variant,
                widestBadge: 1234,
                longestUID: 9,
                shapes: .sealed
            )
            #expect(body.count == most)
        }
    }

    /// Rendering allocates what the sealer does by itself, and nothing on its own.
    @Test func renderingAllocatesNothingOfItsOwn() throws {
        let payload = try #require(
            MessageSource(bytes: Dialect.salesforce.sampleMessage).compile().payload
        )
        let store = PublicKeyStore()
        let key = SealingKey(index: store.add(device.pair.publicKey), padding: .oaepSHA256)
        try store.keepPrecomputed()
        let sealer = try ContentSealer(keys: store)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
        defer { memory.deallocate() }
        let uid = Array("0055g00000AbCdEAAV".utf8)
        let separator = Array(#"","content":""#.utf8)
        let content = [UInt8](repeating: 0x20, count: 400)
        func count(_ body: (inout OutputRawSpan) throws -> Void) rethrows -> UInt64 {
            var counts: [UInt64] = [0, 0]
            for round in 0..<2 {
                let before = pb_thread_allocations()
                for _ in 0..<100 {
                    var output = OutputRawSpan(buffer: memory, initializedCount: 0)
                    try body(&output)
                    _ = output.finalize(for: memory)
                }
                counts[round] = UInt64(pb_thread_allocations() - before)
            }
            return counts[1]
        }
        let request = SealingRequest(key: key)
        let sealing = try count { output in
            try sealer.seal(
                content.span.bytes,
                with: request,
                separator: separator.span.bytes,
                into: &output
            )
        }
        let rendering = try count { output in
            try payload.renderSealed(
                variant: 1,
                badge: 12,
                uid: uid.span.bytes,
                with: request,
                sealer: sealer,
                into: &output
            )
        }
        #expect(rendering == sealing)
    }
}

import CAllocCounter
import PushBuffers
import PushModel
import Testing

@testable import PushPayload

/// Compiled bodies: their sizes, their slots, and what rendering costs.
@Suite struct CompiledPayloadTests {
    /// A dialect of its own, with both slots and characters that need escapes around them.
    private struct SlotMessage: DialectMessage {
        var pushType: PushType? { .alert }
        var delivery: DeliveryFields { DeliveryFields() }
        var bundleID: String? { nil }
        var languages: LanguageVariants
        var takesInstallBadge: Bool { true }
        var needsInstallBadge: Bool { false }

        init() {
            var faults = FaultList(isStrict: false)
            languages = LanguageVariants(of: [], &faults)
        }

        func write(variant: Int, hasInstallBadge: Bool, to writer: inout PayloadWriter) {
            writer.beginObject()
            writer.key("uid")
            writer.uidSlot()
            if hasInstallBadge {
                writer.key("badge")
                writer.badgeSlot()
            }
            writer.key("list")
            writer.beginArray()
            writer.uidSlot()
            writer.integer(-1)
            writer.endArray()
            writer.endObject()
        }

        func compiled() -> CompiledPayload {
            let headers = PushHeaders(pushType: .alert, priority: 10)
            return CompiledPayload(
                dialect: .apns,
                message: self,
                headers: headers,
                usesAliases: false
            )
        }
    }

    private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test func fillsSlotsWithEscapedTextAndDigits() {
        let payload = SlotMessage().compiled()
        let uid = Array("a\"\\\u{1}\n/é".utf8)
        #expect(
            text(payload.body(variant: 0, badge: 40, uid: uid.span.bytes))
                == #"{"uid":"a\"\\\u0001\n/é","badge":40,"list":["a\"\\\u0001\n/é",-1]}"#
        )
        #expect(text(payload.body(variant: 0)) == #"{"uid":"","list":["",-1]}"#)
        #expect(payload.bodySize(variant: 0, badge: 40, uid: uid.span.bytes) == 68)
    }

    @Test(arguments: [0, 9, 10, 99, 100, 12_345, Int64.max] as [Int64])
    func writesEveryBadge(_ badge: Int64) {
        let payload = SlotMessage().compiled()
        let body = payload.body(variant: 0, badge: badge)
        #expect(text(body) == #"{"uid":"","badge":\#(badge),"list":["",-1]}"#)
        #expect(
            payload.maximumBodySize(variant: 0, widestBadge: badge, longestUID: 0) == body.count
        )
    }

    /// Random messages: what is rendered has the computed size and reads back as what went in.
    @Test func renderedBodiesReadBackWithTheSizeThatWasComputed() throws {
        var random = SplitMix64(seed: 32)
        for _ in 0..<400 {
            let message = RandomMessage(&random)
            let source = MessageSource(bytes: message.bytes)
            let compilation = source.compile()
            let payload = try #require(compilation.payload, "\(compilation.faults)")
            let badges = [nil, Int64.random(in: 0...1_000_000, using: &random), 0]
            for badge in badges {
                for variant in 0..<payload.variantCount {
                    let body = payload.body(variant: variant, badge: badge)
                    let widest = badges.compactMap { $0 }.max()
                    let most = payload.maximumBodySize(
                        variant: variant,
                        widestBadge: widest,
                        longestUID: 0
                    )
                    let none = RawSpan()
                    #expect(
                        body.count == payload.bodySize(variant: variant, badge: badge, uid: none)
                    )
                    #expect(body.count <= most)
                    let expected = message.expectedBody(variant: variant, badge: badge)
                    #expect(JSONDocument.parse(body) == .value(expected))
                    var written: [UInt8] = []
                    JSONText.append(expected, to: &written)
                    #expect(body == written)
                }
            }
        }
    }

    @Test(arguments: Dialect.allCases)
    func samplesAreMessagesOf300To340Bytes(_ dialect: Dialect) throws {
        let source = MessageSource(bytes: dialect.sampleMessage, isStrict: true)
        let compilation = source.compile()
        #expect(compilation.faults == [])
        let payload = try #require(compilation.payload)
        #expect(payload.dialect == dialect)
        #expect(payload.variantLanguages == Dialect.sampleLanguages)
        #expect(payload.checkSizes() == [])
        for variant in 0..<payload.variantCount {
            let uid = Array("0055g00000AbCdEAAV".utf8)
            let size = payload.body(variant: variant, uid: uid.span.bytes).count
            #expect((dialect == .salesforce ? 500...560 : 300...340).contains(size))
        }
    }

    @Test(arguments: Dialect.allCases)
    func renderingAllocatesNothing(_ dialect: Dialect) throws {
        let payload = try #require(MessageSource(bytes: dialect.sampleMessage).compile().payload)
        let capacity = 1024
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 16)
        defer { memory.deallocate() }
        let uid = Array("0055g00000AbCdEAAV".utf8)
        var written = 0
        let before = pb_thread_allocations()
        for push in 0..<1_000 {
            var output = OutputRawSpan(buffer: memory, initializedCount: 0)
            payload.render(
                variant: push % payload.variantCount,
                badge: push % 2 == 0 ? nil : Int64(push),
                uid: uid.span.bytes,
                into: &output
            )
            written += output.finalize(for: memory)
        }
        #expect(pb_thread_allocations() - before == 0)
        #expect(written > 300_000)
    }

    @Test func renderAppendsBehindWhatIsThere() throws {
        let payload = try #require(
            MessageSource(bytes: Array(String.apns(#"{"alert":"x"}"#).utf8)).compile().payload
        )
        let size = payload.bodySize(variant: 0, badge: 7, uid: RawSpan())
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: size + 2, alignment: 1)
        defer { memory.deallocate() }
        var output = OutputRawSpan(buffer: memory, initializedCount: 0)
        output.append(UInt8(ascii: "<"))
        payload.render(variant: 0, badge: 7, uid: RawSpan(), into: &output)
        output.append(UInt8(ascii: ">"))
        let count = output.finalize(for: memory)
        #expect(text(Array(memory[..<count])) == #"<{"aps":{"alert":"x","badge":7}}>"#)
    }

    @Test func measuresTheAudienceNotOneInstall() throws {
        let message = String.apns(#"{"alert":"\#(times("x", 4066))"}"#)
        let payload = try #require(MessageSource(bytes: Array(message.utf8)).compile().payload)
        #expect(payload.checkSizes() == [])
        #expect(payload.checkSizes(widestBadge: 9).isEmpty)
        let faults = payload.checkSizes(widestBadge: 10)
        #expect(faults.map(\.code) == [.payloadTooLarge])
        #expect(
            faults.map(\.message) == [
                "the body has 4097 bytes, and APNs takes 4096 for alert pushes; shorten it by 1"
            ]
        )
    }

    @Test func xuloBodiesAreOneRunOfConstantBytes() throws {
        let payload = try #require(
            MessageSource(bytes: Dialect.xulo.sampleMessage).compile().payload
        )
        #expect(!payload.takesInstallBadge)
        let plain = payload.body(variant: 1)
        let uid = Array("u".utf8)
        #expect(payload.body(variant: 1, badge: 5, uid: uid.span.bytes) == plain)
    }
}

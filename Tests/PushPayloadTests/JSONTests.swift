import PushModel
import Testing

@testable import PushPayload

/// Numbers as RFC 8785 lays them out (contract 11 `c-number`).
@Suite struct JSONNumberTests {
    @Test(
        arguments: [
            // RFC 8785 appendix B, and the edges of the four layouts.
            (0x0000_0000_0000_0000, "0"), (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"), (0x8000_0000_0000_0001, "-5e-324"),
            (0x7FEF_FFFF_FFFF_FFFF, "1.7976931348623157e+308"),
            (0xFFEF_FFFF_FFFF_FFFF, "-1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0xC340_0000_0000_0000, "-9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44B5_2D02_C7E1_4AF5, "9.999999999999997e+22"),
            (0x44B5_2D02_C7E1_4AF6, "1e+23"), (0x44B5_2D02_C7E1_4AF7, "1.0000000000000001e+23"),
            (0x444B_1AE4_D6E2_EF4E, "999999999999999700000"),
            (0x444B_1AE4_D6E2_EF4F, "999999999999999900000"), (0x444B_1AE4_D6E2_EF50, "1e+21"),
            (0x3EB0_C6F7_A0B5_ED8C, "9.999999999999997e-7"), (0x3EB0_C6F7_A0B5_ED8D, "0.000001"),
            (0x41B3_DE43_5555_5553, "333333333.3333332"),
            (0x41B3_DE43_5555_5554, "333333333.33333325"),
            (0x41B3_DE43_5555_5555, "333333333.3333333"),
            (0xBECB_F647_612F_3696, "-0.0000033333333333333333"),
            (0x4314_3FF3_C1CB_0959, "1424953923781206.2"),
        ] as [(UInt64, String)]
    )
    func laysOutTheVectorsOfRFC8785(_ bits: UInt64, _ text: String) {
        #expect(JSONNumber.double(Double(bitPattern: bits)).text == text)
    }

    @Test(arguments: [
        (1.0, "1"), (0.1, "0.1"), (1e21, "1e+21"), (1e-7, "1e-7"), (123.456, "123.456"),
        (1e20, "100000000000000000000"), (1.5e-9, "1.5e-9"), (-2.5, "-2.5"), (100, "100"),
    ])
    func laysOutDoubles(_ value: Double, _ text: String) {
        #expect(JSONNumber.double(value).text == text)
    }

    @Test func readsBackAsTheSameDouble() {
        var random = SplitMix64(seed: 8785)
        for _ in 0..<20_000 {
            let value = Double(bitPattern: random.next())
            guard value.isFinite else { continue }
            #expect(Double(JSONNumber.double(value).text) == value)
        }
    }
}

/// Texts as they travel (contract 6.1).
@Suite struct JSONTextTests {
    @Test func escapesWhatMustBeAndNothingElse() {
        for scalar in (0...0x7F).map({ Character(Unicode.Scalar(UInt8($0))) }) {
            var bytes: [UInt8] = []
            JSONText.append(String(scalar), to: &bytes)
            let text = String(decoding: bytes, as: UTF8.self)
            let value = scalar.asciiValue ?? 0
            let isEscaped = value < 0x20 || scalar == "\"" || scalar == "\\"
            #expect((text == "\"\(scalar)\"") == !isEscaped)
            let raw = Array(String(scalar).utf8)
            #expect(JSONEscapes.byteCount(of: raw.span.bytes) == bytes.count - 2)
            #expect(JSONDocument.parse(bytes) == .value(.string(String(scalar))))
        }
    }
}

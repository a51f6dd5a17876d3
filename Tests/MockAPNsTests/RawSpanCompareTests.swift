import PushModel
import Testing

@testable import MockAPNs

/// Comparing field values, which is done by words.
@Suite struct RawSpanCompareTests {
    @Test func findsEachDifferenceOfEachLength() {
        var generator = SplitMix64(seed: 3)
        for length in 0...40 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(equals(bytes, bytes))
            #expect(!equals(bytes + [1], bytes))
            #expect(ends([1] + bytes, with: bytes))
            for index in bytes.indices {
                var other = bytes
                other[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
                #expect(!equals(other, bytes))
                #expect(!ends([1] + other, with: bytes))
            }
        }
    }

    // Spans do not go through the macros.
    private func equals(_ left: [UInt8], _ right: [UInt8]) -> Bool { left.span.bytes.equals(right) }

    private func ends(_ text: [UInt8], with suffix: [UInt8]) -> Bool {
        text.span.bytes.ends(with: suffix)
    }
}

import PushModel
import Testing

@testable import MockAPNs

/// Comparing field values, which is done by words.
@Suite struct RawSpanCompareTests {
    @Test func findsEachDifferenceOfEachLength() {
        var generator = SplitMix64(seed: 3)
        for length in 0...40 {
            let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(bytes.span.bytes.equals(bytes))
            #expect((bytes + [1]).span.bytes.equals(bytes) == false)
            #expect(([1] + bytes).span.bytes.ends(with: bytes))
            for index in bytes.indices {
                var other = bytes
                other[index] ^= 1 << UInt8.random(in: 0...7, using: &generator)
                #expect(other.span.bytes.equals(bytes) == false)
                #expect(([1] + other).span.bytes.ends(with: bytes) == false)
            }
        }
    }
}

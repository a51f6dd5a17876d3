import Foundation
import HTTP2
import Testing

@testable import LoadEngine

@Suite struct PushIDTests {
    private func id(_ sequence: Int, of maker: PushIDMaker) -> String {
        withUnsafeTemporaryAllocation(byteCount: RequestProfile.idByteCount, alignment: 1) {
            maker.write(sequence, to: $0)
            return String(decoding: $0, as: UTF8.self)
        }
    }

    @Test func idsAreCanonicalUUIDsOfTheirOwn() throws {
        let maker = PushIDMaker(runID: 42)
        var seen: Set<String> = []
        for sequence in 0..<20_000 {
            let text = id(sequence, of: maker)
            #expect(seen.insert(text).inserted)
            let uuid = try #require(UUID(uuidString: text))
            #expect(uuid.uuidString.lowercased() == text)
            #expect(uuid.uuid.6 >> 4 == 8)
            #expect(uuid.uuid.8 >> 6 == 2)
        }
    }

    @Test func sameRunGivesTheSameIdsAndAnotherOneOthers() {
        #expect(id(7, of: PushIDMaker(runID: 1)) == id(7, of: PushIDMaker(runID: 1)))
        #expect(id(7, of: PushIDMaker(runID: 1)) != id(7, of: PushIDMaker(runID: 2)))
    }
}

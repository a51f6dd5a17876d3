import Testing

@testable import Results

@Suite struct WorkloadTests {
    @Test func theHashIsTheSameInEveryProcess() {
        // A fixed value: stored results are found by it.
        #expect(Samples.workload().hash == "336076cd3d7cf771")
        var digest = StableDigest("")
        #expect(digest.hex.count == 16)
        let before = digest.hex
        digest.add("absent", nil)
        #expect(digest.hex == before)
        digest.add("present", "")
        #expect(digest.hex != before)
    }

    @Test(arguments: [
        Samples.workload(dialect: "apns"), Samples.workload(message: "other"),
        Samples.workload(engine: "nghttp2"), Samples.workload(encryption: "inline"),
        Samples.workload(installs: 200_001), Samples.workload(languages: ["en": 60, "tr": 41]),
        Samples.workload(languages: ["en": 60]), Samples.workload(tls: "none"),
        Samples.workload(auth: "certificate"), Samples.workload(connections: 2),
        Samples.workload(streams: 100), Samples.workload(mode: "open"),
        Samples.workload(rate: 1_000), Samples.workload(arrivals: "poisson"),
        Samples.workload(settings: [:]), Samples.workload(settings: ["target": "https"]),
        Samples.workload(settings: ["target": "mock", "loops": "2"]),
        // The same texts in other places.
        Samples.workload(dialect: "wire", engine: "xulo"),
        Samples.workload(encryption: "TLSv1.3", tls: ""),
    ])
    func whateverMakesRunsUnlikeChangesTheHash(other: Workload) {
        #expect(other.hash != Samples.workload().hash)
    }

    @Test func anotherDrawOfTheSameWorkloadKeepsTheHash() {
        let hash = Samples.workload().hash
        #expect(Samples.workload(seed: 7).hash == hash)
        #expect(Samples.workload(seed: nil).hash == hash)
        #expect(Samples.workload(bodyBytes: nil).hash == hash)
        #expect(Samples.workload(languages: ["tr": 40, "en": 60]).hash == hash)
    }

    @Test func theDigestTellsListsOfPartsApart() {
        func digest(_ parts: [(String, String)]) -> String {
            var digest = StableDigest("test")
            for (name, value) in parts {
                digest.add(name, value)
            }
            return digest.hex
        }
        let digests = [
            digest([("a", "bc")]), digest([("ab", "c")]), digest([("a", "b"), ("c", "")]),
            digest([("a", "b"), ("", "c")]), digest([]),
        ]
        #expect(Set(digests).count == digests.count)
        var bytes = StableDigest("test")
        bytes.add("message", bytes: [1, 2, 3])
        var others = StableDigest("test")
        others.add("message", bytes: [1, 2, 4])
        #expect(bytes.hex != others.hex)
    }
}

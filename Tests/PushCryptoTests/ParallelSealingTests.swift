import Dispatch
import Glibc
import PushModel
import Synchronization
import Testing

@testable import PushCrypto

@Suite(.timeLimit(.minutes(10))) struct ParallelSealingTests {
    /// A number of each sealing's secret, in memory that the threads share.
    private final class Fingerprints: @unchecked Sendable {
        // Safe to share: each element is written by one thread, and read when all have ended.
        let base: UnsafeMutableBufferPointer<UInt64>

        init(count: Int) {
            base = .allocate(capacity: count)
            base.initialize(repeating: 0)
        }

        deinit { base.deallocate() }
    }

    /// Many threads, each with its own sealer, one store, shared prepared secrets: everything opens,
    /// and no secret comes twice.
    ///
    /// `PUSHBENCH_SEALINGS` says how many, for a long run under the thread sanitizer.
    @Test func parallelSealingsAllOpen() throws {
        let wanted = getenv("PUSHBENCH_SEALINGS").flatMap { Int(String(cString: $0)) } ?? 1_200
        let pairs = try (0..<3).map { try TestPairs.pair($0) }
        let keys = PublicKeyStore()
        let indices = pairs.map { keys.add($0.publicKey) }
        try keys.keepPrecomputed(atMost: wanted.isMultiple(of: 2) ? 10 : 0)
        let threads = 4
        let prepared = PreparedSecrets(count: wanted / 2)
        let opener = ContentOpener(keys: pairs)
        // A place for each: a lock of this kind is one that the thread sanitizer does not see.
        let fingerprints = Fingerprints(count: wanted)
        let opened = Atomic<Int>(0)
        @Sendable func key(_ number: Int) -> SealingKey {
            SealingKey(
                index: indices[number % indices.count],
                padding: number % 5 == 0 ? .pkcs1 : .oaepSHA256
            )
        }
        func eachOnAThread(_ work: @Sendable (ContentSealer, Int) throws -> Void) {
            DispatchQueue.concurrentPerform(iterations: threads) { thread in
                do {
                    let sealer = try ContentSealer(keys: keys, prepared: prepared)
                    for number in stride(from: thread, to: wanted, by: threads) {
                        try work(sealer, number)
                    }
                } catch { Issue.record(error) }
            }
        }
        eachOnAThread { sealer, number in
            if number < prepared.count {
                try sealer.prepare(number, of: prepared, for: key(number))
            }
        }
        eachOnAThread { sealer, number in
            let text = Array(#"{"number":\#(number)}"#.utf8)
            let request = SealingRequest(key: key(number), preparedPlace: number)
            let sealed = try Sealed(text, sealer, request)
            let content = try opener.open(
                secret: sealed.secret.span.bytes,
                content: sealed.content.span.bytes,
                keyIndex: number % indices.count
            )
            guard content.plaintext == text, content.padding == request.key.padding else { return }
            opened.add(1, ordering: .relaxed)
            fingerprints.base[number] = content.secretFingerprint
        }
        #expect(opened.load(ordering: .relaxed) == wanted)
        #expect(Set(fingerprints.base).count == wanted)
    }
}

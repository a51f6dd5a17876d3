import Dispatch
import Glibc
import PushCrypto
import PushModel
import PushPayload

/// An audience with keys of its own, and two queues that render for it.
final class SealBenchmark: CustomStringConvertible, @unchecked Sendable {
    // Safe to share: a queue touches its own sealer and slab, everything else is only read.

    static let threads = 2
    static let pkcs1Percent = 10
    static let uid = "0055g00000AbCdEAAV"

    let installs: Int
    /// The moduli, 256 bytes each.
    let moduli: [UInt8]
    /// The peak resident set when all that pushbench needs was there.
    let peakMegabytes: Int
    private let payload: CompiledPayload
    private let keys: [SealingKey]
    private let sealers: [ContentSealer]
    private let slabs: [UnsafeMutableRawBufferPointer]
    private let queues: [DispatchQueue]

    private static let batch = 256

    enum Failure: Error, CustomStringConvertible {
        case message([PayloadFault])
        case yardstick

        var description: String {
            switch self {
            case .message(let faults): "the sample message is refused: \(faults)"
            case .yardstick: "the C loop cannot be set up"
            }
        }
    }

    init(installs: Int) throws {
        self.installs = installs
        let compilation = MessageSource(bytes: Dialect.salesforce.sampleMessage).compile()
        guard let payload = compilation.payload else { throw Failure.message(compilation.faults) }
        self.payload = payload
        var generator = SplitMix64(seed: 1)
        var moduli = [UInt8](repeating: 0, count: installs * 256)
        moduli.withUnsafeMutableBytes { bytes in
            for offset in stride(from: 0, to: bytes.count, by: 8) {
                bytes.storeBytes(of: generator.next(), toByteOffset: offset, as: UInt64.self)
            }
            for index in 0..<installs {
                bytes[index * 256] |= 0x80
                bytes[index * 256 + 255] |= 1
            }
        }
        self.moduli = moduli
        let store = PublicKeyStore()
        let prefix = Self.derPrefix
        var der = prefix + [UInt8](repeating: 0, count: 256) + [0x02, 0x03, 0x01, 0x00, 0x01]
        var keys: [SealingKey] = []
        keys.reserveCapacity(installs)
        for index in 0..<installs {
            der.replaceSubrange(
                prefix.count..<prefix.count + 256,
                with: moduli[index * 256..<(index + 1) * 256]
            )
            let key = try der.span.bytes.withUnsafeBytes { (bytes) throws(PublicKeyFault) in
                try PublicKey(der: bytes)
            }
            // The same share as in the C loop, whose two threads take halves.
            let isOld = index % (installs / Self.threads) % 100 < Self.pkcs1Percent
            keys.append(
                SealingKey(index: store.add(key), padding: isOld ? .pkcs1 : .oaepSHA256)
            )
        }
        try store.keepPrecomputed()
        self.keys = keys
        sealers = try (0..<Self.threads).map { _ in try ContentSealer(keys: store) }
        slabs = (0..<Self.threads).map { _ in .allocate(byteCount: 1 << 18, alignment: 64) }
        queues = (0..<Self.threads).map {
            DispatchQueue(label: "seal.\($0)", target: .global(qos: .userInitiated))
        }
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        peakMegabytes = usage.ru_maxrss / 1024
    }

    deinit { for slab in slabs { slab.deallocate() } }

    var description: String {
        "\(installs) installs with keys of their own, sealed bodies of \(bodySize) bytes "
            + "around \(contentSize) of content"
    }

    var bodySize: Int {
        payload.sealedBodySize(variant: 0, badge: nil, uid: Array(Self.uid.utf8).span.bytes)
    }

    var contentSize: Int { payload.contentSize(variant: 0, uid: Array(Self.uid.utf8).span.bytes) }

    /// Renders `pushes` bodies on both queues, in batches as a run does.
    func run(_ pushes: Int) {
        let group = DispatchGroup()
        let share = pushes / Self.threads
        for thread in 0..<Self.threads {
            for start in stride(from: 0, to: share, by: Self.batch) {
                let range = start..<min(share, start + Self.batch)
                queues[thread].async(group: group) { [self] in render(range, thread) }
            }
        }
        group.wait()
    }

    private func render(_ range: Range<Int>, _ thread: Int) {
        let slab = slabs[thread]
        let uid = Array(Self.uid.utf8)
        let half = installs / Self.threads
        var failure: CryptoError?
        var push = range.lowerBound
        while push < range.upperBound {
            var output = OutputRawSpan(buffer: slab, initializedCount: 0)
            while push < range.upperBound, output.freeCapacity >= 8192 {
                do throws(CryptoError) {
                    try payload.renderSealed(
                        variant: 0,
                        badge: nil,
                        uid: uid.span.bytes,
                        with: SealingRequest(key: keys[thread * half + push % half]),
                        sealer: sealers[thread],
                        into: &output
                    )
                } catch {
                    failure = error
                    break
                }
                push += 1
            }
            _ = output.finalize(for: slab)
            if let failure { fatalError("\(failure)") }
        }
    }

    /// A SubjectPublicKeyInfo up to the first byte of a 2048-bit modulus.
    private static let derPrefix: [UInt8] = [
        0x30, 0x82, 0x01, 0x22, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01,
        0x01, 0x01, 0x05, 0x00, 0x03, 0x82, 0x01, 0x0F, 0x00, 0x30, 0x82, 0x01, 0x0A, 0x02, 0x82,
        0x01, 0x01, 0x00,
    ]
}

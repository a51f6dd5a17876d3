import CSealLoop
import Dispatch

/// The C loop on two threads, over the same keys and sizes.
final class Yardstick: @unchecked Sendable {
    // Safe to share: each thread runs a loop of its own.

    private let loops: [OpaquePointer]
    private let head: String
    private let content: [UInt8]

    private static let separator = #"","content":""#
    private static let tail = #""}"#

    init(_ benchmark: SealBenchmark) throws {
        content = [UInt8](repeating: 0x41, count: benchmark.contentSize)
        let sealed = (benchmark.contentSize / 16 + 1) * 16
        let variable = 344 + (sealed + 2) / 3 * 4 + Self.separator.utf8.count + Self.tail.utf8.count
        head = String(repeating: " ", count: benchmark.bodySize - variable)
        let half = benchmark.installs / SealBenchmark.threads
        let made = UnsafeMutablePointer<OpaquePointer?>.allocate(capacity: SealBenchmark.threads)
        defer { made.deallocate() }
        let place = Place(base: made)
        DispatchQueue.concurrentPerform(iterations: SealBenchmark.threads) { thread in
            benchmark.moduli.withUnsafeBufferPointer { moduli in
                (place.base + thread).initialize(
                    to: moduli.baseAddress.flatMap {
                        sl_loop_new(
                            $0 + thread * half * 256,
                            half,
                            UInt32(SealBenchmark.pkcs1Percent)
                        )
                    }
                )
            }
        }
        loops = (0..<SealBenchmark.threads).compactMap { made[$0] }
        guard loops.count == SealBenchmark.threads else { throw SealBenchmark.Failure.yardstick }
    }

    deinit { for loop in loops { sl_loop_free(loop) } }

    private struct Place: @unchecked Sendable {
        // Safe: each thread writes an element of its own.
        let base: UnsafeMutablePointer<OpaquePointer?>
    }

    /// Encrypts `pushes` bodies, half on each thread.
    func run(_ pushes: Int) {
        DispatchQueue.concurrentPerform(iterations: loops.count) { thread in
            let written = sl_loop_run(
                loops[thread],
                pushes / loops.count,
                head,
                Self.separator,
                Self.tail,
                content,
                content.count
            )
            precondition(written > 0, "the C loop failed")
        }
    }
}

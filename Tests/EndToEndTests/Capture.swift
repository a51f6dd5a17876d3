import Foundation

/// Everything that comes out of one pipe, read as it comes so that its writer never waits.
final class Capture: @unchecked Sendable {
    // Safe to share: the bytes are behind the lock, the rest is set once.

    private let lock = NSLock()
    private var bytes = Data()
    private let end = DispatchGroup()

    /// Reads `descriptor` to its end, and closes it.
    init(_ descriptor: Int32) {
        end.enter()
        Thread.detachNewThread { [self] in
            var chunk = [UInt8](repeating: 0, count: 1 << 16)
            while true {
                let count = read(descriptor, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                lock.withLock { bytes.append(contentsOf: chunk.prefix(count)) }
            }
            close(descriptor)
            end.leave()
        }
    }

    /// What has come so far.
    var data: Data { lock.withLock { bytes } }

    /// What has come so far, as text.
    var text: String { String(decoding: data, as: UTF8.self) }

    /// Waits until the last writer has closed its end.
    ///
    /// - Returns: False where that takes more than so many seconds.
    func waitForEnd(within seconds: Double) -> Bool {
        end.wait(timeout: .now() + seconds) == .success
    }
}

/// The two ends of a pipe; a child inherits none of them by itself.
struct PipeEnds {
    let reading: Int32
    let writing: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw NSError(domain: NSPOSIXErrorDomain, code: Int(errno))
        }
        reading = ends[0]
        writing = ends[1]
    }
}

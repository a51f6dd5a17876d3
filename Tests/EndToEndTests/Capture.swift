import Foundation

/// Everything that comes out of one pipe, read as it comes so that its writer never waits.
final class Capture: @unchecked Sendable {
    // Safe to share: the bytes are behind the lock, the rest is set once.

    let pipe = Pipe()
    private let lock = NSLock()
    private var bytes = Data()
    private let end = DispatchGroup()

    init() {
        end.enter()
        Thread.detachNewThread { [self] in
            while true {
                let chunk = pipe.fileHandleForReading.availableData
                if chunk.isEmpty { break }
                lock.withLock { bytes.append(chunk) }
            }
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

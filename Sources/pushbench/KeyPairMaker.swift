import Dispatch
import Foundation
import PushCrypto
import Results
import Synchronization

/// Makes the RSA keys of a synthetic audience, and writes their private halves to a file.
enum KeyPairMaker {
    /// Makes distinct key pairs on all processors; a pair takes about a tenth of a second.
    ///
    /// - Parameter count: How many, at least 1.
    /// - Returns: The pairs.
    /// - Throws: A ``CommandFault`` where OpenSSL refuses.
    static func makePairs(_ count: Int) throws -> [RSAKeyPair] {
        let made = Mutex<[RSAKeyPair]>([])
        let failure = Mutex<String?>(nil)
        DispatchQueue.concurrentPerform(iterations: count) { _ in
            guard failure.withLock({ $0 == nil }) else { return }
            do throws(CryptoError) {
                let pair = try RSAKeyPair.generate()
                let done = made.withLock { pairs in
                    pairs.append(pair)
                    return pairs.count
                }
                if Terminal.isInteractive, done.isMultiple(of: 8) {
                    Terminal.showLive("making keys: \(done) of \(count)")
                }
            } catch {
                failure.withLock { $0 = error.description }
            }
        }
        if Terminal.isInteractive { Terminal.showLive("") }
        if let failure = failure.withLock({ $0 }) { throw CommandFault(.runFailed, failure) }
        return made.withLock { $0 }
    }

    private static func wipe(_ bytes: inout [UInt8]) {
        bytes.withUnsafeMutableBytes { bytes in
            if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
        }
    }

    /// Writes private keys to a file that only its owner may read, in the order of the pairs.
    ///
    /// The file is made beside `path` and renamed: none that others can read is filled.
    static func writePrivateKeys(of pairs: [RSAKeyPair], to path: String) throws {
        func fault() -> CommandFault {
            let cause = String(cString: strerror(errno))
            return CommandFault(
                .runFailed,
                "\(path) cannot be written: \(cause); choose a place that you may write to."
            )
        }
        let draft = path + ".part"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw fault() }
        defer { close(descriptor) }
        for pair in pairs {
            var pem = pair.privateKeyPEM
            defer { wipe(&pem) }
            var written = 0
            while written < pem.count {
                let count = pem.withUnsafeBytes {
                    write(descriptor, $0.baseAddress.map { $0 + written }, $0.count - written)
                }
                if count < 0, errno == EINTR { continue }
                guard count > 0 else {
                    let fault = fault()
                    unlink(draft)
                    throw fault
                }
                written += count
            }
        }
        guard rename(draft, path) == 0 else {
            let fault = fault()
            unlink(draft)
            throw fault
        }
    }
}

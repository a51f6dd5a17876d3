import Foundation

/// Where a command's words go: results to stdout, progress and faults to stderr.
enum Terminal {
    /// Whether stderr is a person's terminal.
    static var isInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    /// Writes to stdout; a reader that has gone away ends the program quietly, as it does `cat`.
    static func print(_ text: String, terminator: String = "\n") {
        write(Array((text + terminator).utf8))
    }

    /// Writes bytes to stdout as they are.
    static func write(_ bytes: [UInt8]) { write(bytes, to: STDOUT_FILENO) }

    /// Writes one line to stderr.
    static func complain(_ text: String) { write(Array((text + "\n").utf8), to: STDERR_FILENO) }

    /// Replaces the live line on stderr; an empty text clears it.
    static func showLive(_ text: String) {
        write(Array("\r\u{1B}[K\(text)".utf8), to: STDERR_FILENO)
    }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                if errno == EAGAIN {
                    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&waiting, 1, -1)
                    continue
                }
                // Nobody reads, or the disk is full: the exit code says what stdout cannot.
                if descriptor == STDOUT_FILENO { exit(errno == EPIPE ? 0 : 1) }
                return
            }
            rest = rest.dropFirst(count)
        }
    }
}

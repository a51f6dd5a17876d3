import Foundation
import Results
import Synchronization

/// Where a command's words go: results to stdout, progress and faults to stderr.
enum Terminal {
    /// Whether a live line on the last line was shown and not cleared.
    private static let hasLiveLine = Atomic<Bool>(false)

    /// Whether stderr is a terminal on which a line can be replaced, with a person before it.
    static var isInteractive: Bool {
        isatty(STDERR_FILENO) == 1 && !isDumb && (variable("CI") ?? "").isEmpty
    }

    /// Whether stdout is a terminal that shows colours.
    static var hasColours: Bool {
        isatty(STDOUT_FILENO) == 1 && !isDumb && (variable("NO_COLOR") ?? "").isEmpty
    }

    /// The width of stderr's terminal.
    static var columns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// The columns to fill on stdout: its terminal's, `COLUMNS`, or 80.
    static var outputColumns: Int {
        var size = winsize()
        if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 {
            return Int(size.ws_col)
        }
        let wanted = variable("COLUMNS").flatMap { Int($0) } ?? 80
        return min(max(wanted, 30), 1_000)
    }

    private static var isDumb: Bool { variable("TERM") == "dumb" }

    private static func variable(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name]
    }

    /// Lets no file or socket take the place of a standard descriptor that the caller closed.
    ///
    /// The place holder is open in the wrong direction, so that its use fails as before.
    static func guardStandardDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
        where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is taken, and those below are in use by now.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Whether a path given for output means stdout.
    static func isStandardOutput(_ path: String) -> Bool {
        ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(path)
    }

    /// Writes to stdout; see ``write(_:)``.
    static func print(_ text: String, terminator: String = "\n") {
        write(Array((text + terminator).utf8))
    }

    /// Writes bytes to stdout as they are.
    ///
    /// A reader that went away has seen enough, and the exit code stays what the command says. Any
    /// other failure ends the program with a sentence and exit code 1.
    static func write(_ bytes: [UInt8]) {
        let errorNumber = write(bytes, to: STDOUT_FILENO)
        guard errorNumber != 0, errorNumber != EPIPE else { return }
        let cause = String(cString: strerror(errorNumber))
        complain("pushbench: Standard output cannot be written: \(cause); redirect it elsewhere.")
        exit(ExitCode.runFailed.rawValue)
    }

    /// Writes one line to stderr.
    ///
    /// It may quote a flag's value or a file's name, so control characters are shown as U+FFFD.
    static func complain(_ text: String) {
        let clearing = hasLiveLine.exchange(false, ordering: .relaxed) ? clearLine : ""
        _ = write(Array((clearing + printable(text) + "\n").utf8), to: STDERR_FILENO)
    }

    /// A text with U+FFFD for its control characters.
    static func printable(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            line.append(scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar)
        }
        return String(line)
    }

    /// Replaces the live line on stderr; an empty text clears it.
    static func showLive(_ text: String) {
        hasLiveLine.store(!text.isEmpty, ordering: .relaxed)
        _ = write(Array((clearLine + text).utf8), to: STDERR_FILENO)
    }

    private static let clearLine = "\r\u{1B}[K"

    /// Writes all bytes; the `errno` of the call that failed, else 0.
    private static func write(_ bytes: [UInt8], to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                switch errno {
                case EINTR: continue
                case EAGAIN:
                    var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                    _ = poll(&waiting, 1, -1)
                    continue
                default: return errno
                }
            }
            rest = rest.dropFirst(count)
        }
        return 0
    }
}

import CShims
import Glibc

/// A child process in a process group of its own; ends with its parent.
///
/// Its standard input is empty, it inherits no descriptors but the standard ones. It gets SIGTERM
/// when the *thread* that spawned it ends, so spawn from one that stays. Used by one thread at a
/// time.
public final class ChildProcess {
    /// How a child ended and what it used.
    public struct Exit: Equatable, Sendable {
        /// The exit code; nil where a signal ended it.
        public let code: CInt?
        /// The signal that ended it; nil where it exited.
        public let signal: CInt?
        /// User and system CPU time in nanoseconds.
        public let cpuNanoseconds: UInt64
        /// The largest resident set in bytes.
        public let peakRSSBytes: UInt64
    }

    /// The process id; it stays the child's until ``wait()`` or ``exitIfEnded()`` gave its end.
    public let pid: Int32
    /// The reading end of the child's standard output, non-blocking; nil where it is not captured.
    public let outputDescriptor: CInt?
    private var exit: Exit?

    private init(pid: Int32, outputDescriptor: CInt?) {
        self.pid = pid
        self.outputDescriptor = outputDescriptor
    }

    deinit {
        if exit == nil {
            kill()
            _ = reap(isBlocking: true)
        }
        if let outputDescriptor { _ = Glibc.close(outputDescriptor) }
    }

    /// Starts a program and returns when it runs.
    ///
    /// - Parameters:
    ///   - executable: The program's path.
    ///   - arguments: Its arguments, without the program's name.
    ///   - captureOutput: Whether its standard output goes to ``outputDescriptor`` instead of this
    ///     process's.
    /// - Returns: The child.
    /// - Throws: ``NetIOError/cannotSpawn(path:errno:)``.
    public static func spawn(
        executable: String,
        arguments: [String],
        captureOutput: Bool
    ) throws(NetIOError) -> ChildProcess {
        var strings = ([executable] + arguments).map { strdup($0) }
        strings.append(nil)
        defer { for string in strings { free(string) } }
        var pid: pid_t = 0
        var output: CInt = -1
        let status = cps_spawn(executable, strings, captureOutput, &pid, &output)
        guard status == 0 else { throw .cannotSpawn(path: executable, errno: status) }
        return ChildProcess(pid: pid, outputDescriptor: captureOutput ? output : nil)
    }

    /// Asks the child to end (SIGTERM); does nothing once its end was told.
    public func terminate() {
        guard exit == nil else { return }
        _ = Glibc.kill(pid, SIGTERM)
    }

    /// Ends the child and its process group at once (SIGKILL); does nothing once its end was told.
    public func kill() {
        guard exit == nil else { return }
        _ = Glibc.kill(-pid, SIGKILL)
    }

    /// Waits for the child's end.
    ///
    /// - Returns: How it ended; the same at every call.
    /// - Throws: ``NetIOError/system(call:errno:purpose:)``.
    public func wait() throws(NetIOError) -> Exit {
        guard let exit = reap(isBlocking: true) else {
            throw .system(call: "wait4", errno: errno, purpose: "wait for process \(pid)")
        }
        return exit
    }

    /// How the child ended, without waiting.
    ///
    /// - Returns: Nil while it runs.
    public func exitIfEnded() -> Exit? { reap(isBlocking: false) }

    private func reap(isBlocking: Bool) -> Exit? {
        if let exit { return exit }
        var code: CInt = 0
        var signal: CInt = 0
        var usage = rusage()
        guard cps_wait(pid, isBlocking, &code, &signal, &usage) == 1 else { return nil }
        let ended = Exit(
            code: signal == 0 ? code : nil,
            signal: signal == 0 ? nil : signal,
            cpuNanoseconds: cpuNanoseconds(of: usage),
            peakRSSBytes: UInt64(usage.ru_maxrss) * 1024
        )
        exit = ended
        return ended
    }
}

import CShims
import Glibc

/// A child process in a process group of its own; ends with its parent.
///
/// Its standard input is empty as a rule, it inherits no descriptors but the standard ones. It gets SIGTERM
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

    /// What a child finds when it starts, where that is not the usual.
    public struct Surroundings: Sendable {
        /// The descriptor, above 2, that becomes its standard input; nil: it is empty.
        public var input: CInt?
        /// The descriptor, above 2, that becomes its standard output; nil: this process's.
        public var output: CInt?
        /// The descriptor, above 2, that becomes its standard error; nil: this process's.
        public var errors: CInt?
        /// Its environment as NAME=VALUE strings; nil: this process's.
        public var environment: [String]?
        /// Its working directory; nil: this process's.
        public var folder: String?

        /// The usual surroundings.
        public init() {}
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
    ///   - surroundings: What else it finds; the descriptors stay the caller's.
    /// - Returns: The child.
    /// - Throws: ``NetIOError/cannotSpawn(path:errno:)``.
    public static func spawn(
        executable: String,
        arguments: [String],
        captureOutput: Bool,
        surroundings: Surroundings = Surroundings()
    ) throws(NetIOError) -> ChildProcess {
        let words = CStrings([executable] + arguments)
        let variables = surroundings.environment.map { CStrings($0) }
        let folder = surroundings.folder.map { CStrings([$0]) }
        let around = cps_surroundings(
            input: surroundings.input ?? -1,
            output: surroundings.output ?? -1,
            errors: surroundings.errors ?? -1,
            environment: variables.map { UnsafePointer($0.pointers) },
            folder: folder?.pointers[0].map { UnsafePointer($0) }
        )
        var pid: pid_t = 0
        var output: CInt = -1
        let status = withExtendedLifetime((words, variables, folder)) {
            withUnsafePointer(to: around) { around in
                cps_spawn(executable, words.pointers, around, captureOutput, &pid, &output)
            }
        }
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

/// Strings as C takes a list of them: ended by a null pointer.
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ strings: [String]) {
        count = strings.count
        pointers = .allocate(capacity: count + 1)
        for (index, string) in strings.enumerated() { pointers[index] = strdup(string) }
        pointers[count] = nil
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}

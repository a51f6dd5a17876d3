import CShims
import Glibc

/// A thread of its own for an event loop, with precise timed waits.
///
/// A thread that was not joined goes on after its `LoopThread` is gone.
public final class LoopThread {
    private var thread: pthread_t?

    /// Starts a thread.
    ///
    /// - Parameters:
    ///   - name: What tools show; the system keeps 15 bytes.
    ///   - stackSize: The stack's size in bytes.
    ///   - cpu: The CPU to run on; nil lets the system choose.
    ///   - body: What the thread does.
    /// - Throws: ``NetIOError/system(call:errno:purpose:)``.
    public init(
        name: String,
        stackSize: Int = 1 << 20,
        cpu: Int? = nil,
        _ body: @escaping @Sendable () -> Void
    ) throws(NetIOError) {
        let start = Unmanaged.passRetained(ThreadStart(name: name, cpu: cpu, body: body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, stackSize)
        var thread = pthread_t()
        let status = pthread_create(&thread, &attributes, runThread, start.toOpaque())
        guard status == 0 else {
            start.release()
            throw .system(
                call: "pthread_create",
                errno: status,
                purpose: "start the thread \(name)"
            )
        }
        self.thread = thread
    }

    deinit {
        if let thread { pthread_detach(thread) }
    }

    /// Waits until the thread has ended; does nothing a second time.
    public func join() {
        guard let thread else { return }
        pthread_join(thread, nil)
        self.thread = nil
    }

    /// Binds the calling thread to one CPU.
    ///
    /// - Parameter cpu: The CPU's number, one of ``allowedCPUs()``.
    /// - Throws: ``NetIOError/system(call:errno:purpose:)``.
    public static func pinCurrentThread(toCPU cpu: Int) throws(NetIOError) {
        let status = cps_thread_pin(CInt(clamping: cpu))
        guard status == 0 else {
            throw .system(
                call: "pthread_setaffinity_np",
                errno: status,
                purpose: "bind a thread to CPU \(cpu)"
            )
        }
    }

    /// The CPUs that the calling thread may run on.
    ///
    /// - Returns: Their numbers, ascending.
    public static func allowedCPUs() -> [Int] {
        var cpus = [CInt](repeating: 0, count: 1024)
        let count = cps_thread_allowed_cpus(&cpus, CInt(cpus.count))
        return cpus.prefix(max(0, Int(count))).map(Int.init)
    }

    /// The CPU time that the calling thread has used, in nanoseconds.
    ///
    /// - Returns: User and system time together.
    public static func threadCPUTimeNanoseconds() -> UInt64 {
        clockNanoseconds(CLOCK_THREAD_CPUTIME_ID) ?? 0
    }
}

/// What a new thread needs to begin.
private final class ThreadStart {
    let name: String
    let cpu: Int?
    let body: @Sendable () -> Void

    init(name: String, cpu: Int?, body: @escaping @Sendable () -> Void) {
        self.name = name
        self.cpu = cpu
        self.body = body
    }
}

private func runThread(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let context else { return nil }
    let start = Unmanaged<ThreadStart>.fromOpaque(context).takeRetainedValue()
    cps_thread_set_name(start.name)
    // Else the kernel may end a timed wait up to 50 µs late.
    cps_thread_set_timer_slack(1)
    // A machine without that CPU runs the loop anywhere.
    if let cpu = start.cpu { _ = cps_thread_pin(CInt(clamping: cpu)) }
    start.body()
    return nil
}

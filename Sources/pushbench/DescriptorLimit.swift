import Glibc
import Results

/// How many files and sockets this process and its children may have open.
enum DescriptorLimit {
    /// Standard streams, epoll and event descriptors, files that are read or written meanwhile.
    private static let spare = 32
    private static let perLoop = 4

    /// Raises the soft limit as far as the connections need and the hard one allows.
    ///
    /// - Throws: A ``CommandFault`` with exit code 1 where that is not far enough.
    static func provide(forConnections connections: Int, loops: Int) throws(CommandFault) {
        let available = raise()
        let needed = UInt64(connections + spare + perLoop * loops)
        guard needed > available else { return }
        throw CommandFault(
            .runFailed,
            "--connections \(connections) needs \(needed) open files and the limit is "
                + "\(available): raise it with ulimit -n, or give fewer."
        )
    }

    /// Raises the soft limit to the hard one, which costs nothing while they are not used.
    ///
    /// - Returns: The limit from now on.
    @discardableResult
    static func raise() -> UInt64 {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return .max
        }
        guard limit.rlim_cur < limit.rlim_max else { return UInt64(limit.rlim_cur) }
        var raised = limit
        raised.rlim_cur = limit.rlim_max
        let isRaised = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0
        return UInt64(isRaised ? raised.rlim_cur : limit.rlim_cur)
    }
}

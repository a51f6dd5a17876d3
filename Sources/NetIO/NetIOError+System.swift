import Glibc

extension NetIOError {
    /// The error for a call that opens a descriptor.
    static func opening(call: String, errno number: CInt, purpose: String) -> NetIOError {
        guard number == EMFILE || number == ENFILE else {
            return .system(call: call, errno: number, purpose: purpose)
        }
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            return .system(call: call, errno: number, purpose: purpose)
        }
        return .tooManyOpenFiles(limit: UInt64(limit.rlim_cur))
    }
}

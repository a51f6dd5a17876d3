import NetIO

/// How many processors this process may use.
enum Processors {
    /// Half of them, at least 1: the other half is for the target, or for rendering.
    static var half: Int { max(1, LoopThread.allowedCPUs().count / 2) }
}

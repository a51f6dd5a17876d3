public import NetIO

/// Serves metrics over HTTP/1.1 on a thread of its own: `GET /metrics`, and nothing else.
///
/// Bounded whatever its peers do: so many connections, bytes and seconds, and one more connection
/// takes the place of the oldest. May be made and stopped by any thread.
public final class MetricsServer: Sendable {
    /// The address that is listened on, with the port that the system gave.
    public let address: SocketAddress
    private let stopper: WakeUp
    private let loop: MetricsLoopThread

    /// Starts to serve.
    ///
    /// - Parameters:
    ///   - host: A host name or address of this machine.
    ///   - port: The port; 0 takes any free one.
    ///   - report: Gets a sentence where the service ends before it is stopped, on the server's thread.
    ///   - render: Makes the text anew for each request, on the server's thread.
    /// - Throws: ``NetIO/NetIOError/portInUse(address:)`` and others, where nothing was started.
    public init(
        host: String,
        port: UInt16,
        report: @escaping @Sendable (String) -> Void = { _ in },
        render: @escaping @Sendable () -> MetricsText
    ) throws(NetIOError) {
        let listener = try Listener(host: host, port: port, backlog: 64)
        address = listener.address
        stopper = try WakeUp()
        let loop = try MetricsLoop(
            listener: listener,
            stopper: stopper,
            render: render,
            report: report
        )
        self.loop = try MetricsLoopThread(loop)
    }

    deinit { stop() }

    /// Ends the service and waits for its thread; does nothing a second time.
    public func stop() {
        stopper.wake()
        loop.join()
    }
}

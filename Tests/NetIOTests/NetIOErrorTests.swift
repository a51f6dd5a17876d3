import Glibc
import NetIO
import Testing

@Suite struct NetIOErrorTests {
    @Test(arguments: [
        (
            NetIOError.system(call: "epoll_ctl", errno: EBADF, purpose: "watch descriptor 3"),
            "Cannot watch descriptor 3: epoll_ctl failed: Bad file descriptor (errno 9)."
        ),
        (.cannotResolve(host: "x.invalid", reason: "unknown"), "x.invalid cannot be resolved"),
        (.connectionRefused(address: "127.0.0.1:1"), "127.0.0.1:1 refused the connection"),
        (.cannotConnect(address: "127.0.0.1:1", errno: ETIMEDOUT), "Connection timed out"),
        (.connectionBroken(address: "127.0.0.1:1", errno: ECONNRESET), "Connection reset by peer"),
        (.closedDuringHandshake(address: "127.0.0.1:1"), "during the handshake"),
        (.portInUse(address: "127.0.0.1:1"), "in use"),
        (.cannotListen(address: "127.0.0.1:1", errno: EACCES), "Permission denied"),
        (.tooManyOpenFiles(limit: 1024), "All 1024 file descriptors"),
        (.tls(address: "127.0.0.1:1", detail: "bad record mac"), "bad record mac"),
        (
            .certificateRejected(address: "a", name: "b", code: 18, reason: "self-signed"),
            "--cacert"
        ),
        (.noHTTP2(address: "127.0.0.1:1"), "ALPN h2"),
        (.unusableFile(path: "a.pem", reason: "it is empty"), "a.pem cannot be used: it is empty."),
        (.openSSL(purpose: "set up TLS", detail: "no memory"), "Cannot set up TLS: no memory."),
        (.cannotSpawn(path: "/x", errno: ENOENT), "Cannot start /x: No such file or directory"),
        (.closed, "already closed"),
    ])
    func isOneSentenceThatNamesTheThing(error: NetIOError, expected: String) {
        #expect(error.description.contains(expected))
        #expect(error.description.hasSuffix("."))
        #expect(!error.description.contains("\n"))
    }
}

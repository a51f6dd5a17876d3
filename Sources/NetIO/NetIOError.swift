import COpenSSL
import Glibc

/// Why something between this process and the network or the system failed.
public enum NetIOError: Error, Equatable, Sendable {
    /// A system call failed; `errno` is its error number, `purpose` what was being done.
    case system(call: String, errno: CInt, purpose: String)
    /// A host name or address was not understood or not found.
    case cannotResolve(host: String, reason: String)
    /// Nobody listens at the address.
    case connectionRefused(address: String)
    /// No connection came about; `errno` says why.
    case cannotConnect(address: String, errno: CInt)
    /// The peer closed or reset the connection while bytes were going through.
    case connectionBroken(address: String, errno: CInt)
    /// The peer closed the connection before the handshake was done.
    case closedDuringHandshake(address: String)
    /// Another process listens on the port.
    case portInUse(address: String)
    /// The port or address cannot be listened on; `errno` says why.
    case cannotListen(address: String, errno: CInt)
    /// The process has as many descriptors open as it may.
    case tooManyOpenFiles(limit: UInt64)
    /// The peer's first bytes are no TLS.
    case noTLS(address: String)
    /// TLS failed in another way; `detail` is OpenSSL's error stack.
    case tls(address: String, detail: String)
    /// The server's certificate was not accepted; `code` is OpenSSL's `X509_V_ERR_…`.
    case certificateRejected(address: String, name: String, code: Int, reason: String)
    /// The peer does not speak `h2` over TLS (ALPN).
    case noHTTP2(address: String)
    /// A certificate or key file cannot be used.
    case unusableFile(path: String, reason: String)
    /// OpenSSL refused something that involves no peer.
    case openSSL(purpose: String, detail: String)
    /// A child process could not be started.
    case cannotSpawn(path: String, errno: CInt)
    /// The connection was closed by this side.
    case closed
}

extension NetIOError: CustomStringConvertible {
    /// One sentence that names the thing and what mends it.
    public var description: String {
        switch self {
        case .system(let call, let errno, let purpose):
            "Cannot \(purpose): \(call) failed: \(errnoText(errno))."
        case .cannotResolve(let host, let reason):
            "The host \(host) cannot be resolved: \(reason); check its spelling and the name service."
        case .connectionRefused(let address):
            "\(address) refused the connection: nothing listens there; start the server or correct the port."
        case .cannotConnect(let address, EADDRNOTAVAIL):
            "No connection to \(address): all local ports are in use; wait a minute or widen net.ipv4.ip_local_port_range."
        case .cannotConnect(let address, let errno):
            "No connection to \(address): \(errnoText(errno))."
        case .connectionBroken(let address, let errno):
            "The connection to \(address) broke: \(errnoText(errno))."
        case .closedDuringHandshake(let address):
            "\(address) closed the connection during the handshake; check that it speaks the protocol asked for (TLS or plain) and accepts this client."
        case .portInUse(let address):
            "\(address) is in use by another process; stop it or take another port (0 takes any free one)."
        case .cannotListen(let address, let errno):
            "Cannot listen on \(address): \(errnoText(errno))."
        case .tooManyOpenFiles(let limit):
            "All \(limit) file descriptors that this process may open are in use; raise the limit with `ulimit -n`."
        case .noTLS(let address):
            "\(address) does not speak TLS; if it is meant to be plain, write http:// instead of https://."
        case .tls(let address, let detail):
            "TLS with \(address) failed: \(detail)."
        case .certificateRejected(let address, let name, let code, let reason):
            "The certificate of \(address) is not accepted for \(name): \(reason) (code \(code)); \(certificateMend(code))."
        case .noHTTP2(let address):
            "\(address) does not offer HTTP/2 over TLS (ALPN h2), which APNs demands; check the port."
        case .unusableFile(let path, let reason):
            "\(path) cannot be used: \(reason)."
        case .openSSL(let purpose, let detail):
            "Cannot \(purpose): \(detail)."
        case .cannotSpawn(let path, let errno):
            "Cannot start \(path): \(errnoText(errno))."
        case .closed:
            "The connection is already closed on this side."
        }
    }
}

/// The system's text for an error number.
func errnoText(_ number: CInt) -> String {
    guard let text = strerror(number) else { return "error \(number)" }
    return String(cString: text) + " (errno \(number))"
}

/// What a user can do about a certificate that was not accepted.
private func certificateMend(_ code: Int) -> String {
    switch CInt(truncatingIfNeeded: code) {
    case X509_V_ERR_CERT_HAS_EXPIRED: "renew it, or check this machine's clock"
    case X509_V_ERR_CERT_NOT_YET_VALID: "check this machine's clock"
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
        "connect by a name or address that the certificate holds"
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY, X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE,
        X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT,
        X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
        "give the certificate of its authority as CA file (--cacert), or skip the check for a test server (--insecure)"
    default: "give the right CA file (--cacert), or skip the check for a test server (--insecure)"
    }
}

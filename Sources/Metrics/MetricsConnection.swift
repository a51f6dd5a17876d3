import NetIO
import PushBuffers

/// One client of the server: its request comes in, its answer goes out, and it is let go.
///
/// Touched by the server's thread alone.
final class MetricsConnection {
    /// How far it is.
    private enum Phase {
        /// The request is not whole yet.
        case reading
        /// The answer goes out.
        case writing
        /// The answer is out: what the client still sends is read, so that closing does not reset the
        /// connection before it has read its answer.
        case parting
    }

    let id: UInt64
    let socket: Connection
    let deadline: MonotonicInstant
    private var phase = Phase.reading
    private var request: [UInt8] = []
    private var answer: [UInt8] = []
    private var written = 0
    /// Bytes read after the request; more than a few are nobody's business.
    private var surplus = 0

    private static let mostSurplus = 1 << 16

    init(id: UInt64, socket: Connection, deadline: MonotonicInstant) {
        self.id = id
        self.socket = socket
        self.deadline = deadline
    }

    /// What it waits for.
    var interest: Poller.Interest { phase == .writing ? .write : .read }

    /// Goes on as far as the socket lets it.
    ///
    /// - Returns: False once it is to be closed.
    func advance(using buffer: IOBuffer, render: () -> MetricsText) -> Bool {
        do throws(NetIOError) {
            if phase == .reading {
                // A peer may have closed its side after the request, and still wait for the answer.
                let goesOn = try read(using: buffer)
                switch MetricsRequest(request) {
                case .incomplete: return goesOn
                case .metrics(let isHead):
                    answer = Self.answer(render().text, isHead: isHead)
                case .refused(let refusal): answer = Self.answer(refusal)
                }
                phase = .writing
            }
            if phase == .writing {
                guard try write() else { return true }
                socket.shutdownWriting()
                phase = .parting
                return true
            }
            return try read(using: buffer)
        } catch { return false }
    }

    /// Reads what has come; false where there is no more to come, or too much of it.
    private func read(using buffer: IOBuffer) throws(NetIOError) -> Bool {
        let progress = try socket.readAvailable(limit: MetricsRequest.mostBytes, using: buffer) {
            bytes in
            guard phase == .reading, request.count <= MetricsRequest.mostBytes else {
                surplus += bytes.byteCount
                return
            }
            bytes.withUnsafeBytes { request.append(contentsOf: $0) }
        }
        return progress != .endOfStream && surplus <= Self.mostSurplus
    }

    /// Writes what the socket takes; true once all is out.
    private func write() throws(NetIOError) -> Bool {
        let bytes = answer
        while written < bytes.count {
            switch try socket.write(bytes.span.bytes.extracting(written..<bytes.count)) {
            case .bytes(let count): written += count
            case .wouldBlock: return false
            }
        }
        return true
    }

    private static func answer(_ body: String, isHead: Bool) -> [UInt8] {
        let head = head(status: "200 OK", type: MetricsText.contentType, length: body.utf8.count)
        return Array((isHead ? head : head + body).utf8)
    }

    private static func answer(_ refusal: MetricsRefusal) -> [UInt8] {
        let body = refusal.sentence + "\n"
        let head = head(
            status: refusal.rawValue,
            type: "text/plain; charset=utf-8",
            length: body.utf8.count,
            more: refusal == .otherMethod ? "Allow: GET, HEAD\r\n" : ""
        )
        return Array((head + body).utf8)
    }

    private static func head(
        status: String,
        type: String,
        length: Int,
        more: String = ""
    ) -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: \(type)\r\nContent-Length: \(length)\r\n"
            + "Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n\(more)Connection: close\r\n\r\n"
    }
}

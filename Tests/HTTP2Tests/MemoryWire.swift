import PushModel
@testable import HTTP2

/// Carries bytes between a client and a server session, cut at seeded random places.
final class MemoryWire {
    let client: any ClientSession
    let server: any ServerSession
    private var random: SplitMix64
    private let largestCut: Int
    /// The client's frames, in order, for tests that look at the wire.
    private(set) var clientFrames: [RawFrame] = []
    private var clientReader = FrameReader(hasPreface: true)
    /// Requests that the server has received and not answered.
    var waiting: [RequestHandle] = []
    private(set) var events: [ClientEvent] = []

    init(
        client: any ClientSession,
        server: any ServerSession,
        seed: UInt64 = 1,
        largestCut: Int = 3000
    ) {
        self.client = client
        self.server = server
        self.largestCut = largestCut
        random = SplitMix64(seed: seed)
        // A client opens no stream before the server's SETTINGS.
        client.receive(server.drainAll())
    }

    /// Moves all that either side has to say, until both are silent.
    ///
    /// - Parameter answer: What the server answers to a request; nil leaves it in ``waiting``.
    func pump(_ answer: (RequestHandle) -> ServerResponse? = { _ in nil }) {
        while pumpOnce(answer) {}
    }

    /// One turn of each side.
    ///
    /// - Returns: False where neither had anything to say.
    func pumpOnce(_ answer: (RequestHandle) -> ServerResponse? = { _ in nil }) -> Bool {
        let up = client.drain(capacity: Int.random(in: 1...largestCut, using: &random))
        clientFrames += clientReader.frames(in: up)
        deliver(up) { server.receive($0) }
        for handle in server.requests() {
            if let response = answer(handle) {
                server.respond(to: handle, with: response)
            } else {
                waiting.append(handle)
            }
        }
        let down = server.drain(capacity: Int.random(in: 1...largestCut, using: &random))
        deliver(down) {
            client.receive($0)
            events += client.events()
        }
        events += client.events()
        return !up.isEmpty || !down.isEmpty
    }

    /// Answers all waiting requests.
    func answerWaiting(_ response: (RequestHandle) -> ServerResponse) {
        for handle in waiting { server.respond(to: handle, with: response(handle)) }
        waiting.removeAll()
    }

    /// The events so far, which are forgotten.
    func takeEvents() -> [ClientEvent] {
        defer { events.removeAll() }
        return events
    }

    private func deliver(_ bytes: [UInt8], _ receive: ([UInt8]) -> Void) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Int.random(in: 1...rest.count, using: &random)
            receive(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
    }
}

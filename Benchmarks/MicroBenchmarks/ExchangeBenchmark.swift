import HTTP2

/// What one push costs both HTTP/2 engines of our own: no TLS, no sockets, nothing checked.
enum ExchangeBenchmark {
    private static let streams = 500
    private static let bodySize = 320

    static let exchange = MicroBenchmark(
        name: "exchange",
        unit: "push and answer",
        operations: 500_000
    ) {
        let wire = Wire(streams: streams)
        return { operations in
            var done = 0
            while done < operations { done += wire.exchange(min(streams, operations - done)) }
            return done
        }
    }

    /// A client and a server with the bytes between them.
    private final class Wire {
        private let client: WireClientSession
        private let server = WireServerSession(settings: SessionSettings())
        private let requests = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 1 << 20,
            alignment: 64
        )
        private let answers = UnsafeMutableRawBufferPointer.allocate(
            byteCount: 1 << 20,
            alignment: 64
        )
        private let token = [UInt8](repeating: UInt8(ascii: "a"), count: 64)
        private let body = [UInt8](repeating: UInt8(ascii: " "), count: bodySize)

        init(streams: Int) {
            client = WireClientSession(
                profile: RequestProfile(
                    scheme: "https",
                    authority: "localhost:2197",
                    fields: [
                        .init(name: "apns-topic", value: "com.example.app"),
                        .init(name: "apns-push-type", value: "alert"),
                        .init(name: "apns-priority", value: "10"),
                    ],
                    authorization: "bearer " + String(repeating: "j", count: 250)
                ),
                settings: SessionSettings(),
                maxStreams: streams
            )
            // No stream is opened before the server's SETTINGS.
            var greeting = OutputRawSpan(buffer: answers, initializedCount: 0)
            server.drain(into: &greeting)
            client.receive(greeting.bytes)
        }

        deinit {
            requests.deallocate()
            answers.deallocate()
        }

        /// Sends so many pushes, answers all, and returns how many came back.
        func exchange(_ pushes: Int) -> Int {
            let (token, body) = (token, body)
            for index in 0..<pushes {
                let isTaken = client.submit(
                    token: token.span.bytes,
                    body: body.span.bytes,
                    tag: UInt32(index)
                )
                precondition(isTaken, "a push was refused")
            }
            var output = OutputRawSpan(buffer: requests, initializedCount: 0)
            client.drain(into: &output)
            server.receive(output.bytes)
            let response = ServerResponse(
                status: 200,
                apnsID: ServerResponse.UUIDText(repeating: 0x61)
            )
            while let request = server.nextRequest() {
                server.respond(to: request, with: response)
            }
            var answer = OutputRawSpan(buffer: answers, initializedCount: 0)
            server.drain(into: &answer)
            client.receive(answer.bytes)
            var ended = 0
            while let event = client.nextEvent() {
                precondition(event.status == 200, "an answer other than 200")
                ended += 1
            }
            precondition(ended == pushes, "an answer went missing")
            return ended
        }
    }
}

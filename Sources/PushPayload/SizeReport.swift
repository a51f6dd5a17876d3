/// What the bodies of a message take of APNs' limit, language by language (contract 6.1).
public struct SizeReport: Equatable, Sendable {
    /// The longest body that an audience gets in one language.
    public struct Body: Equatable, Sendable {
        /// The language as the message spells it; nil where it has one text for all.
        public var language: String?
        /// The length in bytes.
        public var bytes: Int
    }

    /// The most bytes that APNs takes for the push type, inclusive.
    public var limit: Int
    /// The bodies in the message's order; never empty.
    public var bodies: [Body]

    /// The body that is longest; the first of several.
    public var largest: Body {
        bodies.reduce(Body(language: nil, bytes: -1)) { $1.bytes > $0.bytes ? $1 : $0 }
    }

    /// The bytes that the largest body leaves free; negative where it does not fit.
    public var headroom: Int { limit - largest.bytes }

    /// The report for people: one line, and one for each of at most six languages.
    public var lines: [String] {
        let largest = largest
        let room =
            headroom < 0 ? "\(-headroom) bytes too many" : "\(headroom) bytes left"
        let language = largest.language.map { " (\($0))" } ?? ""
        var lines = ["Largest body\(language): \(largest.bytes) of \(limit) bytes, \(room)."]
        guard bodies.count > 1 else { return lines }
        let most = 6
        let sorted = bodies.sorted { $0.bytes > $1.bytes }
        for body in sorted.prefix(most) {
            lines.append("  \(body.language ?? ""): \(body.bytes) bytes")
        }
        if sorted.count > most { lines.append("  and \(sorted.count - most) smaller ones") }
        return lines
    }

    /// The report as one JSON object without a line end.
    public var json: String {
        func number(_ value: Int) -> JSONValue { .number(.integer(Int64(value))) }
        func name(_ body: Body) -> JSONValue { body.language.map { .string($0) } ?? .null }
        let listed = bodies.map { body in
            JSONValue.object(
                JSONObject([
                    .init(key: "language", value: name(body)),
                    .init(key: "bytes", value: number(body.bytes)),
                    .init(key: "headroom", value: number(limit - body.bytes)),
                ])
            )
        }
        let document = JSONObject([
            .init(key: "limit", value: number(limit)),
            .init(key: "largest", value: name(largest)),
            .init(key: "bytes", value: number(largest.bytes)),
            .init(key: "headroom", value: number(headroom)),
            .init(key: "bodies", value: .array(listed)),
        ])
        var bytes: [UInt8] = []
        JSONText.append(.object(document), to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

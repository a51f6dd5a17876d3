public import PushModel

/// A reason with which the mock refuses, as its place in a ``ReasonTable``.
public struct ReasonCode: Hashable, Sendable {
    /// The place in the table, and in the counters by reason.
    let index: UInt8

    init(index: UInt8) { self.index = index }

    /// The code of a documented reason.
    public init(_ reason: APNsReason) {
        // An enum without payloads is its case's ordinal in one byte; a table is filled by the
        // same rule, so the two agree whatever the ordinals are.
        index = unsafeBitCast(reason, to: UInt8.self)
    }

    /// The code of a documented reason of broadcasts.
    public init(_ reason: BroadcastReason) {
        index = ReasonTable.firstBroadcast + unsafeBitCast(reason, to: UInt8.self)
    }

    /// The body is no JSON object.
    ///
    /// No documented reason of `/3/device` says so (contract 1.6b names `BadRequestPayload` for
    /// broadcasts alone), so the mock answers 400 with a name of its own that no client can
    /// mistake for one of Apple's.
    public static let payloadInvalidJSON = ReasonCode(index: ReasonTable.documentedCount)
}

/// Every reason the mock can give: wire name, status, and the error body made ahead of time.
///
/// The documented reasons come first, then ``ReasonCode/payloadInvalidJSON``, then those of broadcasts,
/// then those that a script adds. Immutable once a server runs.
public struct ReasonTable: Sendable {
    /// The name on the wire of ``ReasonCode/payloadInvalidJSON``.
    public static let invalidJSONName = "PayloadInvalidJSON"
    /// The most reasons that a table holds.
    public static let capacity = 256
    static let documentedCount = UInt8(APNsReason.allCases.count)
    static let firstBroadcast = documentedCount + 1

    private struct Row {
        var name: String
        var status: UInt16
        var body: [UInt8]

        init(name: String, status: UInt16) {
            self.name = name
            self.status = status
            var text = JSONText()
            text.object { $0.field("reason", name) }
            body = Array(text.text.utf8)
        }
    }

    private var rows: [Row]

    /// Makes the table of the documented reasons and the mock's own.
    public init() {
        let documented = APNsReason.allCases.sorted {
            ReasonCode($0).index < ReasonCode($1).index
        }
        rows = documented.map { Row(name: $0.rawValue, status: UInt16($0.status)) }
        rows.append(Row(name: Self.invalidJSONName, status: 400))
        let broadcast = BroadcastReason.allCases.sorted {
            ReasonCode($0).index < ReasonCode($1).index
        }
        rows += broadcast.map { Row(name: $0.rawValue, status: UInt16($0.status)) }
    }

    /// The number of reasons.
    public var count: Int { rows.count }

    /// The code of the reason called `name`; nil where the table has none.
    public func code(named name: String) -> ReasonCode? {
        guard let index = rows.firstIndex(where: { $0.name == name }) else { return nil }
        return ReasonCode(index: UInt8(index))
    }

    /// Adds a reason under a name of its own, for scripts that answer what Apple does not document.
    ///
    /// - Parameters:
    ///   - name: The wire name; that of a reason already there gives that reason's code.
    ///   - status: The HTTP status of a new reason.
    /// - Returns: The code; nil where the table is full.
    public mutating func add(name: String, status: UInt16) -> ReasonCode? {
        if let known = code(named: name) { return known }
        guard rows.count < Self.capacity else { return nil }
        rows.append(Row(name: name, status: status))
        return ReasonCode(index: UInt8(rows.count - 1))
    }

    /// The wire name of a reason.
    public func name(of code: ReasonCode) -> String { rows[Int(code.index)].name }

    /// The HTTP status that carries a reason.
    public func status(of code: ReasonCode) -> UInt16 { rows[Int(code.index)].status }

    /// The response body of a refusal: `{"reason":"…"}`, with the timestamp where there is one.
    ///
    /// - Parameters:
    ///   - code: The reason.
    ///   - timestampMilliseconds: Milliseconds since the epoch, for status 410 (contract 1.6).
    /// - Returns: The JSON text; without a timestamp no memory is allocated.
    public func body(of code: ReasonCode, timestampMilliseconds: UInt64?) -> [UInt8] {
        let row = rows[Int(code.index)]
        guard let timestampMilliseconds else { return row.body }
        var text = JSONText()
        text.object {
            $0.field("reason", row.name)
            $0.field("timestamp", timestampMilliseconds)
        }
        return Array(text.text.utf8)
    }

    func name(at index: Int) -> String { rows[index].name }
}

import PushModel

/// The fields of a message that become header fields; every dialect knows them.
struct DeliveryFields: Sendable {
    static let names = ["priority", "expiration", "collapseId", "apnsId"]

    var priority: Int?
    var expiration: UInt64?
    var collapseID: String?
    var apnsID: String?

    init() {}

    /// Reads the fields; a push type that is not known leaves priorities unjudged against it.
    init(from reader: FieldReader, pushType: PushType?, _ faults: inout FaultList) {
        priority = Self.priority(from: reader, pushType: pushType, &faults)
        switch reader.integer("expiration", atLeast: 0, &faults) {
        case .integer(let seconds): expiration = UInt64(seconds)
        case .unsigned(let seconds): expiration = seconds
        default: break
        }
        collapseID = Self.collapseID(from: reader, &faults)
        apnsID = Self.apnsID(from: reader, &faults)
    }

    /// Whether a header field may carry the text (contract 11 `c-header-values`).
    static func isHeaderValue(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }

    private static func priority(
        from reader: FieldReader,
        pushType: PushType?,
        _ faults: inout FaultList
    ) -> Int? {
        guard let number = reader.integer("priority", &faults) else { return nil }
        let known = [1, 5, 10]
        guard case .integer(let value) = number, let priority = Int(exactly: value),
            known.contains(priority)
        else {
            faults.add(.outOfRange, at: reader.path(of: "priority"), "priority must be 1, 5 or 10")
            return nil
        }
        if let pushType, !pushType.allowedPriorities.contains(priority) {
            let allowed = FieldReader.list(pushType.allowedPriorities.map(String.init))
            faults.add(
                .priorityMismatch,
                at: reader.path(of: "priority"),
                "a \(pushType.rawValue) push has priority \(allowed), not \(priority)"
            )
        }
        return priority
    }

    private static func collapseID(
        from reader: FieldReader,
        _ faults: inout FaultList
    ) -> String? {
        guard let text = reader.string("collapseId", &faults) else { return nil }
        let place = reader.path(of: "collapseId")
        let limit = 64
        guard isHeaderValue(text) else {
            let message = "collapseId must have a character and no control characters"
            faults.add(.invalidHeaderValue, at: place, message)
            return nil
        }
        guard text.utf8.count <= limit else {
            let message = "collapseId has \(text.utf8.count) bytes, and APNs takes \(limit)"
            faults.add(.collapseIDTooLong, at: place, message)
            return nil
        }
        return text
    }

    private static func apnsID(from reader: FieldReader, _ faults: inout FaultList) -> String? {
        guard let text = reader.string("apnsId", &faults) else { return nil }
        let lengths = text.utf8.split(
            separator: UInt8(ascii: "-"),
            omittingEmptySubsequences: false
        ).map(\.count)
        let hasHexDigits = text.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x46, 0x61...0x66, UInt8(ascii: "-"): true
            default: false
            }
        }
        guard lengths == [8, 4, 4, 4, 12], hasHexDigits else {
            let message = "apnsId must be a UUID like 123e4567-e89b-12d3-a456-426655440000"
            faults.add(.invalidAPNsID, at: reader.path(of: "apnsId"), message)
            return nil
        }
        return text.lowercased()
    }
}

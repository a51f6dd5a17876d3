import PushModel

/// The push types with their names and topic suffixes as bytes, for comparing without strings.
struct PushTypeTable: Sendable {
    struct Row: Sendable {
        var name: [UInt8]
        var suffix: [UInt8]
        var bodyLimit: Int
        var priorities: PrioritySet
        /// Whether no client certificate will do (contract 1.3).
        var isForTokensOnly = false
    }

    private let rows: [Row]
    private let suffixes: [[UInt8]]

    init() {
        rows = PushType.allCases.map {
            Row(
                name: Array($0.rawValue.utf8),
                suffix: Array($0.topicSuffix.utf8),
                bodyLimit: $0.bodyLimit,
                priorities: PrioritySet($0.allowedPriorities),
                isForTokensOnly: $0 == .location
            )
        }
        suffixes = rows.map(\.suffix).filter { !$0.isEmpty }
    }

    func row(named name: RawSpan) -> Row? { rows.first { name.equals($0.name) } }

    /// What a push without `apns-push-type` may be, by its topic's suffix alone.
    func rowForMissingType(topic: RawSpan) -> Row {
        let typed = rows.first { !$0.suffix.isEmpty && topic.ends(with: $0.suffix) }
        return Row(
            name: [],
            suffix: typed?.suffix ?? [],
            bodyLimit: typed?.bodyLimit ?? PushType.alert.bodyLimit,
            priorities: PrioritySet(PushType.alert.allowedPriorities),
            isForTokensOnly: typed?.isForTokensOnly ?? false
        )
    }

    /// Whether `topic` ends in what a push type adds to a bundle id.
    func hasSuffix(_ topic: RawSpan) -> Bool { suffixes.contains { topic.ends(with: $0) } }

    /// Whether `topic` fits a push type of suffix `suffix`: it ends in it, with a bundle id before;
    /// a type without suffix takes no topic that ends in another type's.
    func fits(topic: RawSpan, suffix: [UInt8]) -> Bool {
        guard suffix.isEmpty else {
            return topic.byteCount > suffix.count && topic.ends(with: suffix)
        }
        return !hasSuffix(topic)
    }
}

/// A set of the three priorities.
struct PrioritySet: OptionSet, Sendable {
    let rawValue: UInt8

    init(rawValue: UInt8) { self.rawValue = rawValue }

    init(_ priorities: [Int]) {
        self = priorities.reduce(into: []) { set, priority in
            switch priority {
            case 1: set.insert(.one)
            case 5: set.insert(.five)
            case 10: set.insert(.ten)
            default: break
            }
        }
    }

    /// The set of the one priority that `text` names; empty where it names none.
    init(_ text: RawSpan) {
        let first = text.isEmpty ? 0 : text.unsafeLoad(fromByteOffset: 0, as: UInt8.self)
        switch (text.byteCount, first) {
        case (1, UInt8(ascii: "1")): self = .one
        case (1, UInt8(ascii: "5")): self = .five
        case (2, UInt8(ascii: "1")): self = text.equals("10") ? .ten : []
        default: self = []
        }
    }

    static let one = PrioritySet(rawValue: 1)
    static let five = PrioritySet(rawValue: 2)
    static let ten = PrioritySet(rawValue: 4)
}

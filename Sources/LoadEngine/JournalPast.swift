/// What the records of a journal come to.
struct JournalPast {
    private(set) var earlier = RunJournal.Earlier()
    private(set) var pending = PendingPushes()
    /// Pushes with lower numbers may have been sent.
    private(set) var sentBefore = 0

    /// What is known of a push.
    private struct Mark: OptionSet {
        let rawValue: UInt8
        static let ended = Mark(rawValue: 1)
        /// A run found it in doubt, and may have sent it again.
        static let wasInDoubt = Mark(rawValue: 2)
    }

    /// Goes through the records in the order in which they were written.
    ///
    /// - Throws: ``JournalError/damaged(path:line:)`` where they contradict each other.
    init(_ content: JournalContent, pushes: Int, path: String) throws(JournalError) {
        var marks = [Mark](repeating: [], count: pushes)
        for (index, record) in content.records.enumerated() {
            switch record {
            case .sent(let number) where number <= pushes: sentBefore = max(sentBefore, number)
            case .again:
                for number in 0..<sentBefore where !marks[number].contains(.ended) {
                    marks[number].insert(.wasInDoubt)
                }
            case .clean: sentBefore = 0
            case .ended(let numbers, let end)
            where numbers.upperBound <= sentBefore
                && numbers.allSatisfy { !marks[$0].contains(.ended) }:
                for number in numbers { marks[number].insert(.ended) }
                count(numbers, as: end)
            case .sent, .ended: throw .damaged(path: path, line: index + 2)
            }
        }
        earlier.badTokens.sort { $0.push < $1.push }
        var start: Int?
        for number in 0..<pushes {
            let hasEnded = marks[number].contains(.ended)
            let isUnsettled = !hasEnded && number < sentBefore
            if isUnsettled { earlier.unsettled += 1 }
            if isUnsettled || marks[number].contains(.wasInDoubt) {
                earlier.perhapsTwice += 1
                if !hasEnded { earlier.mayArriveAgain += 1 }
            }
            if !hasEnded {
                start = start ?? number
            } else if let first = start {
                pending.append(first..<number)
                start = nil
            }
        }
        if let first = start { pending.append(first..<pushes) }
    }

    private mutating func count(_ numbers: Range<Int>, as end: PushEnd) {
        switch end {
        case .accepted: earlier.accepted += numbers.count
        case .unknown: earlier.unknown += numbers.count
        case .rejected(let reason): earlier.rejected[reason, default: 0] += numbers.count
        case .badToken(let reason, let timestamp):
            earlier.rejected[reason, default: 0] += numbers.count
            earlier.badTokens += numbers.map {
                RunJournal.BadToken(push: $0, reason: reason, timestamp: timestamp)
            }
        }
    }
}

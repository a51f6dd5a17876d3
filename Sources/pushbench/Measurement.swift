import Foundation
import LoadEngine
import Results

/// What the repetitions of a run gave, with what the embedded mock says of them.
struct Measurement {
    let auth: String
    let startedAt = Date()
    var finishedAt = Date()
    let processorTimes: ProcessorTimes?
    /// What earlier runs of the same journal did, which the reports are without; nothing as a rule.
    var earlier = RunJournal.Earlier()
    var reports: [RunReport] = []
    /// How the mock's count differs from the account; nil where they agree or there is no mock.
    var mockDisagreement: String?

    /// What the mock found wrong with contents; nil where nothing was, or it did not look.
    var contentFaults: String?

    init(auth: String, processorTimes: ProcessorTimes?) {
        self.auth = auth
        self.processorTimes = processorTimes
    }

    /// Whether a signal ended it before its goal.
    var wasInterrupted = false
    var firstFailure: String? { reports.lazy.compactMap(\.firstFailure).first }

    /// Whether pushes were left without an answer, in this run or in those that it continues.
    var isIncomplete: Bool {
        if earlier.unknown > 0 { return true }
        if reports.isEmpty { return earlier.accepted == 0 }
        return reports.contains { report in
            // That the rest was rejected does not undo what was accepted before.
            var report = report
            report.account.accepted += earlier.accepted
            return report.isIncomplete
        }
    }

    /// Whether no push of any repetition left.
    var nothingWasSent: Bool {
        !reports.isEmpty && reports.allSatisfy { $0.account.neverSent == $0.account.audience }
    }

    /// Compares the accounts with what the target saw: an accepted push was accepted there once, unless
    /// pushes whose answer was lost went out again.
    mutating func check(against counts: MockProcess.Counts, mayDouble: Bool) {
        contentFaults = Self.sentence(ofContentFaults: counts.contentFaults)
        let accepted = reports.reduce(0) { $0 + $1.account.accepted }
        let unknown = reports.reduce(0) { $0 + $1.account.unknown }
        let doubled = mayDouble ? reports.reduce(0) { $0 + $1.resent } : 0
        guard !(accepted...accepted + unknown + doubled).contains(counts.accepted) else { return }
        mockDisagreement =
            "the mock accepted \(counts.accepted) pushes, the account says \(accepted)"
    }

    private static func sentence(ofContentFaults faults: [String: Int]) -> String? {
        guard !faults.isEmpty else { return nil }
        let kinds = faults.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let listed = kinds.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        return "the mock found pushes whose content is not what their install should get: \(listed)"
    }
}

extension RunReport {
    /// Whether pushes were left without an answer, for another cause than an open loop's schedule
    /// that was not kept: that is a finding, and an objective that was missed.
    var isIncomplete: Bool {
        account.unknown > 0 || account.accepted == 0
            || account.neverSent > 0 && !(wasBoundByClock && firstFailure == nil)
    }
}

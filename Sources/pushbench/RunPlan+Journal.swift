import Foundation
import LoadEngine
import PushModel
import PushPayload
import Results

// A run that can be continued.
extension RunPlan {
    /// Refuses what a journal cannot be kept of.
    static func checkJournal(_ arguments: Arguments, _ options: RunOptions) throws(UsageError) {
        guard arguments.has("journal") else { return }
        guard options.repetitions == 1 else {
            throw UsageError("--journal is for one run: leave --repeat out.")
        }
        if case .duration = options.goal {
            throw UsageError(
                "--journal needs a known number of pushes: give --pushes instead of --duration, or "
                    + "neither."
            )
        }
    }

    /// The journal that the flags name, bound to this run; nil where none is asked for.
    ///
    /// - Throws: ``UsageError``, or a ``CommandFault`` with exit code 3 where it is of another run, and
    ///   1 where it cannot be used.
    func openJournal() throws -> RunJournal? {
        guard let path = arguments["journal"], case .pushes(let pushes) = goal else { return nil }
        guard pushes <= audienceSize else {
            throw UsageError(
                "--journal needs one push an install at most: --pushes \(pushes) is over the "
                    + "audience of \(audienceSize)."
            )
        }
        let binding = RunJournal.Binding([
            "message": messageDigest,
            "audience": audienceDigest,
            "target": targetName,
            "shard": "\(options.shard.index + 1)/\(options.shard.count)",
            "pushes": String(pushes),
        ])
        do throws(JournalError) {
            return try RunJournal(path: path, binding: binding, pushes: pushes)
        } catch {
            switch error {
            case .notAJournal, .otherFormat, .damaged, .otherRun:
                throw CommandFault(.invalidInput, error.description)
            case .unusable, .inUse, .unwritable:
                throw CommandFault(.runFailed, error.description)
            }
        }
    }

    /// Says before a run what it takes over from an earlier one.
    static func tell(_ journal: RunJournal) {
        let earlier = journal.earlier
        guard earlier.settled > 0 || earlier.mayArriveAgain > 0 else { return }
        var sentence =
            "pushbench: Continuing \(journal.path): \(earlier.settled) of \(journal.pushes) pushes "
            + "have ended, \(journal.pushes - earlier.settled) are left"
        if earlier.mayArriveAgain > 0 {
            sentence +=
                "; \(earlier.mayArriveAgain) of them may have been sent, and may arrive once more"
        }
        Terminal.complain(sentence + ".")
    }

    /// Says after a run that the same command would go on.
    static func tellRest(of journal: RunJournal) {
        let settled = journal.settled
        guard settled < journal.pushes, journal.failure == nil else { return }
        Terminal.complain(
            "pushbench: \(journal.path) holds the end of \(settled) of \(journal.pushes) pushes: the "
                + "same command sends the rest."
        )
    }

    /// The installs whose tokens earlier runs of a journal were told are bad.
    func badTokens(of earlier: RunJournal.Earlier) -> [RunReport.RejectedToken] {
        // A journal has one push an install at most.
        earlier.badTokens.map { token in
            RunReport.RejectedToken(
                install: options.shard.index + token.push * options.shard.count,
                reason: token.reason,
                timestamp: token.timestamp
            )
        }
    }

    /// What a finished journal has to say: the account, and no measurement.
    ///
    /// Only the objectives that ask for nothing more are looked at.
    func result(ofFinished measured: Measurement) throws -> ResultFile {
        var result = try result(of: measured)
        let earlier = measured.earlier
        let none = Account(audience: 0, accepted: 0)
        result.runs = [
            RunRecord(
                account: none.continuing(earlier),
                throughput: Throughput(
                    acknowledged: 0,
                    bytes: 0,
                    elapsedNanoseconds: 1,
                    sent: 0,
                    offeredRate: nil
                ),
                makespan: nil,
                latency: Latency(response: nil, service: nil, lateness: nil),
                badTokens: earlier.badTokens.isEmpty ? nil : earlier.badTokens.count,
                continuation: Continuation(earlier)
            )
        ]
        result.verdict.slo = options.objectives.filter { $0.metric.name == "errors" }
            .map { $0.evaluate(result.runs) }
        return result
    }

    // MARK: - What makes two runs the same

    /// What the ids of pushes follow from, so that a run which continues another one gives those that
    /// go out again the ids that they had.
    var journalRunID: UInt64 {
        var digest = StableDigest("pushbench.journal.run/1")
        digest.add("message", messageDigest)
        digest.add("audience", audienceDigest)
        digest.add("target", targetName)
        return UInt64(digest.hex, radix: 16) ?? 0
    }

    /// A digest of what every body is made from.
    private var messageDigest: String {
        var digest = StableDigest("pushbench.journal.message/1")
        digest.add("bytes", bytes: source.bytes)
        for option in effectiveOptions { digest.add("option", option) }
        digest.add("topic", arguments["topic"])
        return digest.hex
    }

    private var targetName: String {
        // Without a space: it is a word of the journal's first line.
        ([arguments["target"] ?? "mock"] + arguments.all("sandbox-target")).map { url in
            url.hasSuffix("/") ? String(url.dropLast()) : url
        }.joined(separator: ",")
    }

    /// A digest of the audience's installs in their order, eight bytes at a time.
    private var audienceDigest: String {
        var state: UInt64 = 0xcbf2_9ce4_8422_2325
        func mix(_ word: UInt64) {
            state = (state ^ word) &* 0x9E37_79B9_7F4A_7C15
            state ^= state >> 29
        }
        func mix(_ bytes: UnsafeRawBufferPointer) {
            mix(UInt64(bytes.count))
            var offset = 0
            while offset + 8 <= bytes.count {
                mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                offset += 8
            }
            while offset < bytes.count {
                mix(UInt64(bytes[offset]))
                offset += 1
            }
        }
        let table = audience.table
        for language in table.languages {
            var text = language
            text.withUTF8 { mix(UnsafeRawBufferPointer($0)) }
        }
        for index in 0..<table.count {
            let record = table.record(at: index)
            record.token.withUnsafeBytes { mix($0) }
            record.uid.withUnsafeBytes { mix($0) }
            mix(UInt64(record.languageIndex))
            mix(record.badge.map { UInt64(bitPattern: $0) } ?? 1 << 63)
            mix(record.key.map { UInt64($0.index) + 1 } ?? 0)
            mix(record.environment == .sandbox ? 1 : 0)
        }
        return String(state, radix: 16)
    }
}

extension Account {
    /// The account with what earlier runs did.
    func continuing(_ earlier: RunJournal.Earlier) -> Account {
        var account = self
        account.audience += earlier.settled
        account.accepted += earlier.accepted
        account.unknown += earlier.unknown
        account.rejected.merge(earlier.rejected, uniquingKeysWith: +)
        return account
    }
}

extension Continuation {
    /// What a journal tells of earlier runs; nil where there was none.
    init?(_ earlier: RunJournal.Earlier) {
        guard earlier != RunJournal.Earlier() else { return nil }
        self.init(
            accepted: earlier.accepted,
            rejected: earlier.rejections,
            unknown: earlier.unknown,
            perhapsTwice: earlier.perhapsTwice
        )
    }
}

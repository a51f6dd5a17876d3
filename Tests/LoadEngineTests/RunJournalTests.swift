import Glibc
import HTTP2
import MockAPNs
import PushModel
import Synchronization
import Testing

@testable import LoadEngine

/// A journal through crashes: what is torn is dropped, what is damaged or foreign is refused.
@Suite(.timeLimit(.minutes(5)), .ownThreads)
struct RunJournalTests {
    static let binding = RunJournal.Binding(["message": "a1", "audience": "b2"])

    /// A path for a file that goes with the test.
    final class Place {
        let path: String

        init(_ bytes: [UInt8]? = nil) throws {
            var template = Array("/tmp/pushbench-journal-XXXXXX".utf8CString)
            let descriptor = mkstemp(&template)
            try #require(descriptor >= 0)
            path = String(
                decoding: template.dropLast().map { UInt8(bitPattern: $0) },
                as: UTF8.self
            )
            if let bytes { try #require(write(descriptor, bytes, bytes.count) == bytes.count) }
            close(descriptor)
        }

        deinit { unlink(path) }

        /// What is in the file, whoever has it open.
        func read() throws -> [UInt8] {
            let file = try #require(fopen(path, "r"))
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = fread(&bytes, 1, bytes.count, file)
            return Array(bytes.prefix(count))
        }

        func open(
            _ binding: RunJournal.Binding = RunJournalTests.binding,
            pushes: Int = 100
        ) throws(JournalError) -> RunJournal {
            try RunJournal(path: path, binding: binding, pushes: pushes)
        }
    }

    /// The bytes of a journal of 100 pushes in which most things have happened.
    private func sample() throws -> [UInt8] {
        let place = try Place()
        do {
            let journal = try place.open()
            #expect(journal.allowSending(before: 40))
            journal.append([
                (0..<9, .accepted), (9..<10, .badToken(reason: "Unregistered", timestamp: 17)),
                (10..<12, .rejected(reason: "a strange\nreason %, ü")), (20..<21, .unknown),
            ])
            journal.close()
        }
        do {
            let journal = try place.open()
            #expect(journal.allowSending(before: 50))
            journal.append([(0..<8, .accepted), (8..<9, .accepted)])
        }
        return try place.read()
    }

    @Test func tellsWhatEarlierRunsDidAndWhatIsLeft() throws {
        let place = try Place(sample())
        let journal = try place.open()
        // Numbers 12...19 and 21 are the places 0...8 of the second run.
        var expected = RunJournal.Earlier()
        expected.accepted = 18
        expected.rejected = ["a strange\nreason %, ü": 2, "Unregistered": 1]
        expected.unknown = 1
        expected.unsettled = 63 - 22
        expected.mayArriveAgain = 63 - 22
        // The 27 that the second run found in doubt, and 50 places later those that it left so: 12 to
        // 62 without number 20.
        expected.perhapsTwice = 50
        expected.badTokens = [
            RunJournal.BadToken(push: 9, reason: "Unregistered", timestamp: 17)
        ]
        #expect(journal.earlier == expected)
        #expect(journal.pending?.count == 78)
        #expect(journal.pending?.number(at: 0) == 22)
        #expect(!journal.isComplete)
    }

    @Test func whatWasCertainlyNotSentIsNotInDoubtUntilItIs() throws {
        let place = try Place()
        for (count, unsettled) in [(30, 0), (20, 0), (40, 30)] {
            let journal = try place.open()
            #expect(journal.earlier.unsettled == 0)
            #expect(journal.allowSending(before: count))
            journal.append([(0..<10, .accepted)])
            if unsettled == 0 { journal.noteCleanEnd() }
            journal.close()
        }
        let journal = try place.open()
        #expect(journal.earlier.accepted == 30)
        #expect(journal.earlier.unsettled == 30)
        #expect(journal.earlier.perhapsTwice == 30)
    }

    @Test func runThatCameToNothingDoesNotSettleWhatIsInDoubt() throws {
        let place = try Place()
        do {
            let journal = try place.open()
            #expect(journal.allowSending(before: 30))
            journal.append([(0..<10, .accepted)])
            #expect(journal.settled == 10)
        }
        do {
            let journal = try place.open()
            #expect(journal.earlier.unsettled == 20)
            journal.noteCleanEnd()
        }
        let journal = try place.open()
        #expect(journal.earlier.unsettled == 0)
        #expect(journal.earlier.mayArriveAgain == 20)
        #expect(journal.earlier.perhapsTwice == 20)
        #expect(journal.settled == 10)
    }

    @Test func pushInDoubtCountsOnceHoweverOftenItIs() throws {
        let place = try Place()
        for _ in 0..<5 {
            let journal = try place.open()
            #expect(journal.allowSending(before: 30))
            journal.close()
        }
        let journal = try place.open()
        #expect(journal.earlier.unsettled == 30)
        #expect(journal.earlier.perhapsTwice == 30)
    }

    @Test func pushThatEndsTwiceIsDamage() throws {
        let place = try Place()
        do {
            let journal = try place.open()
            #expect(journal.allowSending(before: 40))
            journal.append([(0..<10, .accepted), (9..<11, .unknown)])
        }
        #expect(throws: JournalError.damaged(path: place.path, line: 4)) { _ = try place.open() }
    }

    @Test func isCompleteOnceEveryPushHasEnded() throws {
        let place = try Place()
        do {
            let journal = try place.open()
            #expect(journal.earlier == RunJournal.Earlier())
            #expect(journal.pending == nil)
            #expect(journal.allowSending(before: 100))
            journal.append([(0..<100, .accepted)])
        }
        let journal = try place.open()
        #expect(journal.isComplete)
        #expect(journal.earlier.accepted == 100)
        #expect(journal.earlier.perhapsTwice == 0)
    }

    @Test func tornEndIsDroppedWhereverItIsTorn() throws {
        let whole = try sample()
        var lastSettled = 0
        for count in 0...whole.count {
            let place = try Place(Array(whole.prefix(count)))
            let journal = try place.open()
            // Nothing is made up, and nothing that was whole is lost.
            #expect(journal.earlier.settled >= lastSettled)
            #expect(journal.earlier.settled <= 22)
            lastSettled = journal.earlier.settled
            #expect(journal.allowSending(before: 1))
            let bytes = try place.read()
            let again = try JournalContent(bytes, path: place.path)
            #expect(again.header != nil)
            #expect(again.wholeBytes == bytes.count)
        }
        #expect(lastSettled == 22)
    }

    @Test func changedByteIsToldUnlessItIsInTheLastLine() throws {
        let whole = try sample()
        let lastLine = try #require(whole.dropLast().lastIndex(of: UInt8(ascii: "\n")))
        let firstLine = try #require(whole.firstIndex(of: UInt8(ascii: "\n")))
        for index in whole.indices {
            var changed = whole
            changed[index] ^= 1
            let place = try Place(changed)
            do throws(JournalError) {
                _ = try place.open()
                // A newline that is none any more joins the last two lines.
                #expect(index >= lastLine)
            } catch {
                switch error {
                case .damaged(_, let line): #expect(line > 1)
                case .notAJournal, .otherFormat: #expect(index <= firstLine)
                default: Issue.record("unexpected: \(error)")
                }
            }
        }
    }

    @Test func anotherRunIsRefusedByWhatDiffers() throws {
        let place = try Place(sample())
        let other = RunJournal.Binding(["message": "a1", "audience": "c3"])
        #expect(throws: JournalError.otherRun(path: place.path, differences: ["audience"])) {
            _ = try place.open(other)
        }
        let text = JournalError.otherRun(path: "j", differences: ["a", "b", "c"]).description
        #expect(text.contains("a, b and c differ"))
    }

    @Test(arguments: ["token,language\nabc,en\n", "\n", "{}"])
    func anotherFileIsRefusedAndLeftAsItWas(text: String) throws {
        let place = try Place(Array(text.utf8))
        #expect(throws: JournalError.notAJournal(path: place.path)) { _ = try place.open() }
        #expect(try place.read() == Array(text.utf8))
    }

    @Test(arguments: ["pushbench.journal/1 pushes=5\n", "pushbench.journal/17 x\nsent 5\n"])
    func journalOfAnotherFormatIsToBeFinishedByItsOwnVersion(text: String) throws {
        let place = try Place(Array(text.utf8))
        let error = JournalError.otherFormat(path: place.path)
        #expect(throws: error) { _ = try place.open() }
        #expect(error.description.contains("finish it with that version"))
        #expect(try place.read() == Array(text.utf8))
    }

    @Test func isLockedWhileItIsOpen() throws {
        let place = try Place()
        let journal = try place.open()
        #expect(throws: JournalError.inUse(path: place.path)) { _ = try place.open() }
        withExtendedLifetime(journal) {}
    }

    @Test func isFreeWhileAChildThatIsJustStartingHoldsACopy() throws {
        let place = try Place()
        var file: JournalFile? = try JournalFile(path: place.path)
        // What fork makes, until exec closes it.
        let copy = dup(try #require(file?.descriptor))
        defer { close(copy) }
        file = nil
        #expect(throws: Never.self) { try JournalFile(path: place.path) }
    }

    @Test func foldersAndDevicesAreRefused() throws {
        #expect(throws: JournalError.self) {
            _ = try RunJournal(path: "/tmp", binding: Self.binding, pushes: 1)
        }
        let error = JournalError.unusable(path: "/dev/null", reason: "it must be a regular file")
        #expect(throws: error) {
            _ = try RunJournal(path: "/dev/null", binding: Self.binding, pushes: 1)
        }
    }

    // MARK: - Runs

    @Test func interruptedRunIsContinuedAndEveryInstallIsAcceptedOnce() throws {
        let fixture = try LoadFixture(installs: 30_000)
        let mock = try LoadFixture.mock()
        defer { mock.stop() }
        let place = try Place()
        var accepted = 0
        var runs = 0
        while true {
            let journal = try place.open(pushes: 30_000)
            #expect(journal.earlier.accepted == accepted)
            if journal.isComplete { break }
            var configuration = try fixture.configuration(port: mock.port)
            configuration.journal = journal
            configuration.loops = 2
            configuration.connections = 2
            let run = try LoadRun(
                payload: fixture.payload,
                installs: fixture.installs,
                configuration: configuration
            )
            if runs < 4 {
                while run.progress.answered < 3000, !run.isOver { sched_yield() }
                run.stop()
            }
            let report = run.finish()
            #expect(report.account.addsUp)
            #expect(report.account.audience == 30_000 - accepted)
            #expect(report.account.unknown == 0)
            #expect(journal.earlier.perhapsTwice == 0, "a polite end leaves nothing in doubt")
            accepted += report.account.accepted
            runs += 1
            journal.close()
            try #require(runs < 20)
        }
        #expect(accepted == 30_000)
        #expect(mock.statistics.counts().accepted == 30_000)
    }

    /// A target that refuses all pushes but the first 50 with `reason`.
    private static func refusing(_ reason: APNsReason) -> ScriptedTarget.Script {
        .answering { number, handle, session in
            if number <= 50 {
                session.accept(handle)
            } else {
                session.refuse(handle, reason)
            }
            return .goOn
        }
    }

    @Test(
        arguments: [
            (.tooManyRequests, true), (.serviceUnavailable, true), (.invalidProviderToken, true),
            (.expiredProviderToken, true), (.badDeviceToken, false), (.payloadTooLarge, false),
        ] as [(APNsReason, Bool)]
    )
    func whatMayBeTakenAnotherTimeIsLeftToTheNextRun(reason: APNsReason, isOpen: Bool) throws {
        let fixture = try LoadFixture(installs: 200)
        let target = try ScriptedTarget(Self.refusing(reason))
        defer { target.stop() }
        let place = try Place()
        let journal = try place.open(pushes: 200)
        var configuration = try fixture.configuration(port: target.port)
        configuration.journal = journal
        configuration.retries.delay = 3_600_000_000_000
        let run = try LoadRun(
            payload: fixture.payload,
            installs: fixture.installs,
            configuration: configuration
        )
        while run.progress.inFlight > 0 || run.progress.sent < 200, !run.isOver { sched_yield() }
        run.stop()
        let report = run.finish()
        #expect(report.account.addsUp)
        #expect(report.account.accepted == 50)
        #expect(report.account.rejected[reason.rawValue] ?? 0 > 0)
        #expect(report.account.duplicates == 0)
        #expect(journal.settled == (isOpen ? 50 : 200))
        journal.close()
        let next = try place.open(pushes: 200)
        #expect(next.earlier.settled == (isOpen ? 50 : 200))
        #expect(next.earlier.rejected == (isOpen ? [:] : [reason.rawValue: 150]))
        let badTokens = reason == .badDeviceToken ? 150 : 0
        #expect(next.earlier.badTokens.map(\.push) == Array(50..<50 + badTokens))
        #expect(next.earlier.perhapsTwice == 0, "it was certainly not processed")
    }

    /// A disk with room for so many bytes, that then takes a part of what it is given.
    private final class SmallDisk: Sendable {
        private let room: Atomic<Int>

        init(bytes: Int) { room = Atomic(bytes) }

        func write(_ file: CInt, _ bytes: UnsafeRawPointer?, _ count: Int, _ offset: Int) -> Int {
            let left = room.load(ordering: .relaxed)
            guard left > 0 else {
                errno = ENOSPC
                return -1
            }
            let written = pwrite(file, bytes, min(count, left), offset)
            room.subtract(max(0, written), ordering: .relaxed)
            return written
        }
    }

    @Test(arguments: [70, 85, 300, 1000])
    func fullDiskEndsTheRunAndLosesNothing(bytes: Int) throws {
        let fixture = try LoadFixture(installs: 20_000)
        let mock = try LoadFixture.mock()
        defer { mock.stop() }
        let place = try Place()
        let disk = SmallDisk(bytes: bytes)
        var configuration = try fixture.configuration(port: mock.port)
        // Not over before the disk is full, however busy the machine is.
        configuration.load = .openLoop(rate: 4_000, arrivals: .constant)
        let first: RunReport
        do {
            let journal = try RunJournal(
                JournalFile(path: place.path, write: disk.write),
                binding: Self.binding,
                pushes: 20_000
            )
            configuration.journal = journal
            first = try fixture.run(configuration)
            #expect(journal.failure?.description == first.firstFailure)
            journal.close()
        }
        #expect(first.account.addsUp)
        #expect(first.account.neverSent > 0)
        #expect(first.firstFailure?.contains("No space left on device") == true)
        #expect(first.firstFailure?.contains(place.path) == true)
        #expect(mock.statistics.counts().accepted == first.account.accepted)

        let journal = try place.open(pushes: 20_000)
        #expect(journal.earlier.settled <= first.account.accepted)
        #expect(journal.earlier.settled + journal.earlier.unsettled >= first.account.accepted)
        configuration.journal = journal
        configuration.load = .closedLoop
        let second = try fixture.run(configuration)
        #expect(second.account.accepted == 20_000 - journal.earlier.settled)
        let twice = Int(mock.statistics.counts().accepted) - 20_000
        #expect((0...journal.earlier.unsettled).contains(twice))
    }
}

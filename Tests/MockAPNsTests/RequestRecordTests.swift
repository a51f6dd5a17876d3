import Foundation
import Glibc
import NetIO
import PushBuffers
import Synchronization
import Testing

@testable import MockAPNs

/// The file of a record: slow, full, or never read.
@Suite(.timeLimit(.minutes(5))) struct RequestRecordTests {
    /// A chunk with so many lines.
    private static func chunk(_ lines: Int, of text: String = "{}\n") -> RecordChunk {
        let chunk = RecordChunk()
        for _ in 0..<lines {
            chunk.appendLine { $0.append(contentsOf: Array(text.utf8).span.bytes) }
        }
        return chunk
    }

    /// A pipe that nobody has read from yet, and the path by which it is opened for writing.
    private static func withPipe(_ use: (_ reader: CInt, _ path: String) throws -> Void) throws {
        var ends: [CInt] = [0, 0]
        #expect(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        try use(ends[0], "/proc/self/fd/\(ends[1])")
    }

    /// Whether the thread of this process that has a name waits for something.
    private static func isAsleep(_ name: String) throws -> Bool {
        let tasks = "/proc/self/task"
        return try FileManager.default.contentsOfDirectory(atPath: tasks).contains { task in
            let text = try? String(contentsOfFile: "\(tasks)/\(task)/stat", encoding: .utf8)
            return text?.contains("(\(name)) S ") == true
        }
    }

    @Test func whoNeedsAChunkWaitsUntilTheFileHasTakenOne() throws {
        try Self.withPipe { reader, path in
            let record = try RequestRecord(path: path, capacity: 2) { Issue.record("\($0)") }
            try record.start()
            // Far more than a pipe and two chunks hold.
            let line = String(repeating: "x", count: 999) + "\n"
            let waited = Atomic<Int>(0)
            let attempts = Atomic<Int>(0)
            let thread = try LoopThread(name: "wants-a-chunk") {
                for _ in 0..<20 {
                    attempts.add(1, ordering: .releasing)
                    let taken = record.queue.take(roomFor: 1000)
                    if taken.hasWaited { waited.add(1, ordering: .relaxed) }
                    for _ in 0..<100 {
                        taken.chunk.appendLine {
                            $0.append(contentsOf: Array(line.utf8).span.bytes)
                        }
                    }
                    record.handOver(taken.chunk)
                }
            }
            // Before anything is read the file takes no whole chunk, so the third has to be waited for.
            while try attempts.load(ordering: .acquiring) < 3 || !Self.isAsleep("wants-a-chunk") {
                sched_yield()
            }
            var read = 0
            var buffer = [UInt8](repeating: 0, count: 10_000)
            while read < 20 * 100 * 1000 {
                let count = Glibc.read(reader, &buffer, buffer.count)
                guard count > 0 else { break }
                read += count
            }
            thread.join()
            record.finish()
            #expect(read == 20 * 100 * 1000)
            let waits = waited.load(ordering: .relaxed)
            #expect(waits > 0)
            #expect(record.recorded == 2000)
            #expect(record.unrecorded == 0)
        }
    }

    @Test func nobodyWaitsOnceTheLoopsAreToEnd() throws {
        let queue = RecordQueue(capacity: 1)
        _ = queue.take(roomFor: 1)
        let hasTaken = Atomic<Bool>(false)
        let thread = try LoopThread(name: "loop") {
            _ = queue.take(roomFor: 1)
            hasTaken.store(true, ordering: .releasing)
        }
        queue.becomeUnbounded()
        thread.join()
        let isFree = hasTaken.load(ordering: .acquiring)
        #expect(isFree)
    }

    @Test func chunksAreUsedAgain() {
        let queue = RecordQueue(capacity: 4)
        var seen: Set<ObjectIdentifier> = []
        var kept: [RecordChunk] = []
        for _ in 0..<100 {
            let chunk = queue.take(roomFor: 1).chunk
            if seen.insert(ObjectIdentifier(chunk)).inserted { kept.append(chunk) }
            queue.handOver(chunk)
            for chunk in queue.nextBatch() { queue.recycle(chunk) }
        }
        #expect(kept.count == 1)
        // One for a long line takes a place, and gives it back.
        for _ in 0..<100 {
            let chunk = queue.take(roomFor: RecordChunk.standardBytes + 1).chunk
            #expect(chunk.freeBytes > RecordChunk.standardBytes)
            queue.handOver(chunk)
            for chunk in queue.nextBatch() { queue.recycle(chunk) }
        }
    }

    @Test func aFullDeviceIsReportedOnceAndEveryLineCounted() throws {
        let reports = Mutex<[String]>([])
        let record = try RequestRecord(path: "/dev/full") { text in
            reports.withLock { $0.append(text) }
        }
        try record.start()
        for lines in 1...5 { record.handOver(Self.chunk(lines)) }
        record.finish()
        #expect(record.recorded == 0)
        #expect(record.unrecorded == 15)
        #expect(record.failure == RecordError(path: "/dev/full", errno: ENOSPC))
        let sentences = reports.withLock { $0 }
        #expect(sentences.count == 1)
        #expect(sentences.first?.contains("/dev/full") == true)
        #expect(sentences.first?.contains("No space left on device") == true)
    }

    @Test func aFullDiskLeavesWholeLines() async {
        // The limit of a file's size holds for a process.
        await #expect(processExitsWith: .success) {
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 10_000, rlim_max: 10_000)
            guard setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else {
                exit(3)
            }
            try Scratch.withFile("") { path in
                let record = try RequestRecord(path: path) { _ in }
                try record.start()
                for _ in 0..<3 {
                    record.handOver(RequestRecordTests.chunk(100, of: "{\"line\":1234567890}\n"))
                }
                record.handOver(RequestRecordTests.chunk(400, of: "{\"line\":1234567890}\n"))
                record.handOver(RequestRecordTests.chunk(1, of: "{}\n"))
                record.finish()
                let text = try String(contentsOfFile: path, encoding: .utf8)
                guard text.hasSuffix("}\n"), !text.contains("{}") else { exit(4) }
                let lines = text.split(separator: "\n").count
                guard lines == 500, record.recorded == 500, record.unrecorded == 201 else {
                    exit(5)
                }
                guard record.failure == RecordError(path: path, errno: EFBIG) else { exit(6) }
            }
            exit(EXIT_SUCCESS)
        }
    }

    @Test func theFileIsForItsOwnerAloneAndLinksAreFollowed() throws {
        try Scratch.withFile("of an earlier run, and long enough to be seen") { path in
            #expect(chmod(path, 0o666) == 0)
            let link = path + ".link"
            #expect(symlink(path, link) == 0)
            defer { unlink(link) }
            let record = try RequestRecord(path: link) { Issue.record("\($0)") }
            try record.start()
            record.handOver(Self.chunk(2))
            record.finish()
            var status = stat()
            #expect(stat(path, &status) == 0)
            #expect(status.st_mode & 0o777 == 0o600)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "{}\n{}\n")
        }
    }

    @Test func aFileThatIsEmptiedMeanwhileGoesOnAtItsStart() throws {
        try Scratch.withFile("") { path in
            let record = try RequestRecord(path: path) { Issue.record("\($0)") }
            try record.start()
            record.handOver(Self.chunk(100))
            while record.recorded < 100 { sched_yield() }
            #expect(truncate(path, 0) == 0)
            record.handOver(Self.chunk(3))
            record.finish()
            #expect(try String(contentsOfFile: path, encoding: .utf8) == "{}\n{}\n{}\n")
        }
    }

    @Test(arguments: [
        ("/no/such/folder/record", ENOENT), ("/dev", EISDIR), ("/dev/null/record", ENOTDIR),
    ])
    func aFileThatCannotBeOpenedIsNamed(path: String, code: CInt) {
        let error = #expect(throws: RecordError.self) { try RequestRecord(path: path) { _ in } }
        #expect(error == RecordError(path: path, errno: code))
        #expect(error?.description.contains(path) == true)
    }
}

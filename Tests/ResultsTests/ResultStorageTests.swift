import Foundation
import Testing

@testable import Results

@Suite struct ResultStorageTests {
    @Test func writingReplacesAndLeavesNothingElse() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/result.json"
        var result = try Samples.result()
        try result.write(to: path)
        #expect(try ResultFile.load(path) == result)
        result.complete = false
        try result.write(to: path)
        #expect(try ResultFile.load(path) == result)
        #expect(folder.names == ["result.json"])
    }

    @Test(arguments: [0, 1, 1_000, 40_000])
    func aFullDiskLeavesWhatWasThere(bytesThatFit: Int) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/result.json"
        try folder.fill(["/result.json": "before"])
        var room = bytesThatFit
        #expect(throws: FileFault(code: ENOSPC)) {
            try AtomicFile.write([UInt8](repeating: 1, count: 50_000), to: path) {
                file,
                bytes,
                count in
                guard room > 0 else {
                    errno = ENOSPC
                    return -1
                }
                let written = write(file, bytes, min(count, room))
                room -= written
                return written
            }
        }
        #expect(folder.names == ["result.json"])
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "before")
    }

    @Test func anInterruptedWriteGoesOn() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/file"
        let bytes = (0..<5_000).map { UInt8(truncatingIfNeeded: $0) }
        var calls = 0
        try AtomicFile.write(bytes, to: path) { file, start, count in
            calls += 1
            if calls % 2 == 0 {
                errno = EINTR
                return -1
            }
            return write(file, start, min(count, 700))
        }
        #expect(try AtomicFile.read(path) == bytes)
    }

    @Test(arguments: [
        ("/none/result.json", ENOENT, "make its folder first"),
        ("/file/result.json", ENOTDIR, "choose a path"),
        ("/folder", EISDIR, "add the name of a file"),
    ])
    func aBadPathFailsWithItsMendAndLeavesNothing(
        place: String,
        code: Int32,
        mend: String
    ) throws {
        let folder = try TemporaryFolder()
        try folder.fill(["/file": "", "/folder/inside": ""])
        let path = folder.path + place
        let error = #expect(throws: ResultError.self) { try Samples.result().write(to: path) }
        #expect(error == .unwritable(path: path, fault: FileFault(code: code)))
        #expect(error?.description.contains(path) == true)
        #expect(error?.description.contains(mend) == true)
        #expect(folder.names == ["file", "folder"])
    }

    @Test func aFolderThatTakesNoFilesIsNamed() throws {
        // /proc takes none, not even from root.
        let path = "/proc/pushbench-result.json"
        let error = #expect(throws: ResultError.self) { try Samples.result().write(to: path) }
        #expect(error?.description.contains(path) == true)
    }

    @Test func aLinkIsFollowedAndKept() throws {
        let folder = try TemporaryFolder()
        try folder.fill(["/deep/target.json": "before"])
        let link = folder.path + "/link.json"
        try FileManager.default.createSymbolicLink(
            atPath: link,
            withDestinationPath: "deep/target.json"
        )
        let result = try Samples.result()
        try result.write(to: link)
        #expect(try ResultFile.load(folder.path + "/deep/target.json") == result)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: link) == "deep/target.json"
        )
        #expect(folder.names == ["deep", "link.json"])
    }

    @Test(.timeLimit(.minutes(5)))
    func aPipeIsWrittenInPlace() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        // Open for both, so that neither end waits for the other.
        let end = open(path, O_RDWR | O_NONBLOCK)
        #expect(end >= 0)
        defer { close(end) }
        try AtomicFile.write(Array("text".utf8), to: path)
        var buffer = [UInt8](repeating: 0, count: 10)
        #expect(read(end, &buffer, 10) == 4)
        #expect(folder.names == ["pipe"])
    }

    @Test func aMissingFileIsNamed() {
        #expect(
            throws: ResultError.unreadable(path: "/none/r.json", fault: FileFault(code: ENOENT))
        ) {
            try ResultFile.load("/none/r.json")
        }
    }

    @Test func theStoreFilesByMachineAndWorkload() throws {
        let folder = try TemporaryFolder()
        let store = ResultStore(root: folder.path + "/results")
        let result = try Samples.result()
        let path = try store.save(result)
        #expect(
            path == folder.path + "/results/amd-epyc-2c-32g-debian-12/\(result.workload.hash)/"
                + "20260131T235958Z-04f2a9.json"
        )
        #expect(try ResultFile.load(path) == result)
        // A second time into folders that exist.
        #expect(try store.save(result) == path)
    }

    @Test(arguments: ["", ".", "..", "../x", "a/b", ".hidden", "a b", "é", "a\u{0}"])
    func namesThatLeadOutOfTheStoreAreRefused(name: String) throws {
        var result = try Samples.result()
        result.id = name
        #expect(throws: ResultError.unsafeName(name)) {
            try ResultStore(root: "/none").path(for: result)
        }
        result = try Samples.result()
        result.machine.key = name
        #expect(throws: ResultError.unsafeName(name)) {
            try ResultStore(root: "/none").path(for: result)
        }
    }

    @Test func aStoreThatCannotBeMadeIsNamed() throws {
        let folder = try TemporaryFolder()
        try folder.fill(["/file": ""])
        let store = ResultStore(root: folder.path + "/file")
        let error = #expect(throws: ResultError.self) { try store.save(try Samples.result()) }
        #expect(error?.description.contains(folder.path + "/file/") == true)
        #expect(folder.names == ["file"])
    }
}

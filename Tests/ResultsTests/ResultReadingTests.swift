import Foundation
import Testing

@testable import Results

/// Reading a store in which not everything is as it should be.
@Suite struct ResultReadingTests {
    private func store(_ folder: TemporaryFolder, count: Int) throws -> ResultStore {
        let store = ResultStore(root: folder.path)
        for index in 0..<count {
            var result = try Samples.result()
            result.id = "2026013\(index)T000000Z-00000\(index)"
            try store.save(result)
        }
        return store
    }

    @Test func filesAreSortedByTimeAndFilteredByTheStartOfTheirFolders() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder, count: 3)
        var other = try Samples.result(workload: Samples.workload(engine: "nghttp2"))
        other.machine.key = "z-machine"
        other.id = "20250101T000000Z-000000"
        try store.save(other)
        try folder.fill(["/stray.json": "{}", "/amd-epyc-2c-32g-debian-12/.hidden/x.json": "{}"])
        let files = store.files()
        #expect(files.paths.count == 4 && files.faults.isEmpty)
        #expect(files.paths[0].hasSuffix("20250101T000000Z-000000.json"))
        #expect(store.files(machine: "z-").paths.count == 1)
        #expect(store.files(machine: "amd", workload: "33607").paths.count == 3)
        #expect(store.files(workload: "f00").paths.isEmpty)
        #expect(store.files(withID: "2026").paths.count == 3)
        #expect(store.files(withID: "20260131T000000Z-000001").paths.count == 1)
        let none = ResultStore(root: folder.path + "/none").files()
        #expect(none.paths.isEmpty && none.faults.isEmpty)
    }

    /// A link to itself can be opened by nobody, whatever his rights.
    @Test func foldersThatCannotBeReadAreNamedAndTheRestIsListed() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder, count: 2)
        let machine = "\(folder.path)/amd-epyc-2c-32g-debian-12"
        let loops = ["\(folder.path)/loop", "\(machine)/loop"]
        for loop in loops {
            try FileManager.default.createSymbolicLink(
                atPath: loop,
                withDestinationPath: "loop"
            )
        }
        let faults = loops.sorted().map {
            ResultError.unreadableFolder(path: $0, fault: FileFault(code: ELOOP))
        }
        for listing in [store.files(), store.files(withID: "2026")] {
            #expect(listing.paths.count == 2)
            #expect(listing.faults.sorted { "\($0)" < "\($1)" } == faults)
        }
        // What is not asked for is not complained of.
        #expect(store.files(machine: "amd", workload: "3").faults.isEmpty)
        let lost = ResultStore(root: loops[0]).files()
        #expect(lost.paths.isEmpty && lost.faults.count == 1)
        #expect("\(faults[0])".contains("loop: Too many levels of symbolic links; "))
    }

    @Test(.enabled(if: geteuid() != 0, "nothing keeps a privileged user out"))
    func folderWithoutRightsIsNamed() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder, count: 1)
        let closed = "\(folder.path)/closed"
        try FileManager.default.createDirectory(atPath: closed, withIntermediateDirectories: false)
        chmod(closed, 0)
        defer { chmod(closed, 0o700) }
        let listing = store.files()
        #expect(listing.paths.count == 1)
        let fault = FileFault(code: EACCES)
        #expect(listing.faults == [.unreadableFolder(path: closed, fault: fault)])
    }

    @Test func filesThatCannotBeReadAreNamedAndTheRestIsRead() throws {
        let folder = try TemporaryFolder()
        let store = try store(folder, count: 4)
        let files = store.files().paths
        let good = try String(contentsOfFile: files[0], encoding: .utf8)
        let place = files[0].dropLast("20260130T000000Z-000000.json".count)
        let bad: [(String, String, ResultError)] = [
            ("1-empty", "", .notJSON(path: "")),
            ("2-cut", String(good.prefix(good.count / 2)), .notJSON(path: "")),
            (
                "3-future", good.replacing("pushbench.result/1", with: "pushbench.result/2"),
                .otherSchema(path: "", schema: "pushbench.result/2")
            ),
            ("4-other", "[1]", .notAResult(path: "")),
            (
                "5-moved", good.replacing("amd-epyc-2c-32g-debian-12", with: "elsewhere"),
                .misplaced(path: "")
            ),
        ]
        for (name, text, _) in bad {
            try Data(text.utf8).write(to: URL(fileURLWithPath: "\(place)\(name).json"))
        }
        let reading = ResultStore.read(store.files().paths)
        #expect(reading.results.count == 4 && reading.paths.count == 4)
        #expect(reading.faults.count == 5)
        for (name, _, _) in bad {
            #expect(reading.faults.contains { $0.description.contains(name) }, "\(name)")
        }
        let kinds = reading.faults.map { "\($0)".replacing(/[^ ]*\/[0-9]-[a-z]+\.json/, with: "") }
        #expect(kinds == bad.map { "\($0.2)" })
        // The newest two of the good ones, however many bad ones lie between.
        let last = ResultStore.readLast(2, of: store.files().paths)
        #expect(last.results.map(\.id) == reading.results.suffix(2).map(\.id))
        let first = ResultStore.readLast(9, of: store.files().paths) { $0.id.hasSuffix("0") }
        #expect(first.results.map(\.id) == ["20260130T000000Z-000000"])
    }

    @Test func moreFilesThanOneBatchKeepTheirOrder() throws {
        let folder = try TemporaryFolder()
        let store = ResultStore(root: folder.path)
        for index in 0..<150 {
            var result = try Samples.result()
            result.id = "20260101T000000Z-000\(index + 100)"
            try store.save(result)
        }
        let reading = ResultStore.read(store.files().paths)
        #expect(reading.results.map(\.id) == (100..<250).map { "20260101T000000Z-000\($0)" })
        #expect(ResultStore.readLast(70, of: store.files().paths).results.count == 70)
        #expect(ResultStore.read([]).results.isEmpty)
    }

    @Test func numbersAloneAreTheSameNumbers() throws {
        let whole = try Samples.result()
        let data = try whole.encoded()
        let lean = try ResultFile(decoding: data, name: "x", parts: .numbers)
        #expect(try ResultFile(decoding: data, name: "x") == whole)
        for metric in Metric.table {
            #expect(metric.value(lean.runs[0]) == metric.value(whole.runs[0]), "\(metric.name)")
        }
        #expect(lean.runs[0].latency.response?.hdr == "")
        #expect(lean.runs[0].series.isEmpty && lean.runs[0].connections.isEmpty)
        #expect(lean.runs[0].makespan?.curve == nil && whole.runs[0].makespan?.curve != nil)
        var restored = lean
        restored.runs = whole.runs
        #expect(restored == whole)
    }

    @Test func differencesAreToldFieldByField() throws {
        let workload = Samples.workload()
        let other = Samples.workload(
            engine: "nghttp2",
            encryption: "inline",
            languages: ["en": 60, "sv": 40],
            seed: 3,
            settings: ["target": "mock", "loops": "2", "scenario": "named"]
        )
        #expect(
            workload.differences(from: other).map(\.description) == [
                "engine: wire, not nghttp2", "encryption: absent, not inline",
                "language.tr: 40.0, not absent", "language.sv: absent, not 40.0",
                "setting.loops: absent, not 2",
            ]
        )
        #expect(workload.differences(from: workload) == [])
        var machine = Samples.machine
        machine.kernel = "6.2"
        machine.memoryBytes += 4_096
        #expect(Samples.machine.differences(from: machine) == [])
        #expect(
            Samples.machine.environmentDifferences(from: machine).map(\.description) == [
                "kernel: 6.1.0-18-amd64, not 6.2"
            ]
        )
        machine.key = "other"
        machine.cores = 4
        #expect(
            Samples.machine.differences(from: machine).map(\.field) == ["cores", "memory"]
                || Samples.machine.differences(from: machine).map(\.field) == ["cores"]
        )
    }

    @Test func nameOfAScenarioDecidesNothing() {
        let plain = Samples.workload()
        let named = Samples.workload(settings: ["target": "mock", "scenario": "order-update"])
        #expect(named.hash == plain.hash)
        #expect(named.settings?["scenario"] == "order-update")
    }
}

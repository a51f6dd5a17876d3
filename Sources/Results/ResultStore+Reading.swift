import Dispatch
import Glibc
import Synchronization

extension ResultStore {
    /// Results that were read, and what was wrong with the others.
    public struct Reading: Sendable {
        /// What could be read, in the order of the paths.
        public var results: [ResultFile] = []
        /// Where each of ``results`` is stored.
        public var paths: [String] = []
        /// One for each file that could not be read.
        public var faults: [ResultError] = []
    }

    /// The files that were found, and the folders into which nobody could look.
    public struct Listing: Sendable {
        /// Where the files are, oldest first.
        public var paths: [String] = []
        /// One for each folder that could not be read.
        public var faults: [ResultError] = []
    }

    /// The files of the store, oldest first.
    ///
    /// - Parameters:
    ///   - machine: The start of the machine key; nil for all machines.
    ///   - workload: The start of the workload hash; nil for all workloads.
    /// - Returns: Their paths, sorted by their ids, which begin with the time; none where there is
    ///   no store. A folder that cannot be read is a fault, and the rest is listed.
    public func files(machine: String? = nil, workload: String? = nil) -> Listing {
        var faults: [ResultError] = []
        func names(in folder: String) -> [String] {
            do {
                return try Self.names(in: folder)
            } catch {
                faults.append(error)
                return []
            }
        }
        var found: [(id: String, path: String)] = []
        for key in names(in: root) where key.hasPrefix(machine ?? "") {
            for hash in names(in: "\(root)/\(key)") where hash.hasPrefix(workload ?? "") {
                let folder = "\(root)/\(key)/\(hash)"
                for name in names(in: folder) where name.hasSuffix(".json") {
                    found.append((name, "\(folder)/\(name)"))
                }
            }
        }
        let paths = found.sorted { ($0.id, $0.path) < ($1.id, $1.path) }.map(\.path)
        return Listing(paths: paths, faults: faults)
    }

    /// The files below which `text` names one: an id, or the start of one.
    ///
    /// - Parameter text: What a person typed.
    /// - Returns: Their paths, oldest first; the one with exactly that id alone, if there is one.
    public func files(withID text: String) -> Listing {
        var all = files()
        func id(_ path: String) -> Substring {
            path[(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)...]
                .dropLast(".json".count)
        }
        let exact = all.paths.filter { id($0) == text }
        all.paths = exact.isEmpty ? all.paths.filter { id($0).hasPrefix(text) } : exact
        return all
    }

    /// Reads files of the store, on all processors.
    ///
    /// - Parameters:
    ///   - paths: As ``files(machine:workload:)`` gives them.
    ///   - parts: How much of each is wanted.
    /// - Returns: What could be read, and one fault for each file that could not, or that lies in
    ///   another folder than it belongs to.
    public static func read(_ paths: [String], parts: ResultParts = .numbers) -> Reading {
        // Small enough to share the work evenly, large enough not to meet at the lock.
        let size = 64
        let batches = (paths.count + size - 1) / size
        let done = Batches()
        DispatchQueue.concurrentPerform(iterations: batches) { batch in
            let range = batch * size..<min((batch + 1) * size, paths.count)
            done.put(paths[range].map { one($0, parts) }, at: batch)
        }
        var reading = Reading()
        for (path, outcome) in zip(paths, done.inOrder) {
            switch outcome {
            case .success(let result):
                reading.results.append(result)
                reading.paths.append(path)
            case .failure(let fault): reading.faults.append(fault)
            }
        }
        return reading
    }

    /// Reads the newest results that can be read.
    ///
    /// - Parameters:
    ///   - count: The most that are wanted.
    ///   - paths: As ``files(machine:workload:)`` gives them.
    ///   - parts: How much of each is wanted.
    ///   - isWanted: Which of them count.
    /// - Returns: At most `count` results, oldest first, and the faults of the files looked at.
    public static func readLast(
        _ count: Int,
        of paths: [String],
        parts: ResultParts = .numbers,
        where isWanted: (ResultFile) -> Bool = { _ in true }
    ) -> Reading {
        var rest = paths[...]
        var reading = Reading()
        while reading.results.count < count, !rest.isEmpty {
            // No more than are missing, so that nothing is said of files that nobody asked for.
            let next = Array(rest.suffix(count - reading.results.count))
            rest = rest.dropLast(next.count)
            let found = read(next, parts: parts)
            let wanted = found.results.indices.filter { isWanted(found.results[$0]) }
            reading.results = wanted.map { found.results[$0] } + reading.results
            reading.paths = wanted.map { found.paths[$0] } + reading.paths
            reading.faults = found.faults + reading.faults
        }
        reading.results = reading.results.suffix(count)
        reading.paths = reading.paths.suffix(count)
        return reading
    }

    private static func one(_ path: String, _ parts: ResultParts) -> Result<ResultFile, ResultError>
    {
        do {
            let result = try ResultFile.load(path, parts: parts)
            let folders = path.split(separator: "/").dropLast().suffix(2)
            guard folders.elementsEqual([result.machine.key[...], result.workload.hash[...]]) else {
                return .failure(.misplaced(path: path))
            }
            return .success(result)
        } catch {
            return .failure(error)
        }
    }

    /// The names in a folder, hidden ones left out.
    ///
    /// - Parameter folder: Its path.
    /// - Returns: The names, sorted; none where there is nothing, or a file.
    /// - Throws: ``ResultError/unreadableFolder(path:fault:)``.
    public static func names(in folder: String) throws(ResultError) -> [String] {
        guard let stream = opendir(folder) else {
            guard [ENOENT, ENOTDIR].contains(errno) else {
                throw .unreadableFolder(path: folder, fault: FileFault(code: errno))
            }
            return []
        }
        defer { closedir(stream) }
        var names: [String] = []
        while true {
            // The end and a failure are told apart by this alone.
            errno = 0
            guard let entry = readdir(stream) else {
                guard errno == 0 else {
                    throw .unreadableFolder(path: folder, fault: FileFault(code: errno))
                }
                return names.sorted()
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
    }
}

/// The outcomes of batches that finish in any order.
private final class Batches: Sendable {
    private let outcomes = Mutex<[Int: [Result<ResultFile, ResultError>]]>([:])

    func put(_ batch: [Result<ResultFile, ResultError>], at index: Int) {
        outcomes.withLock { $0[index] = batch }
    }

    var inOrder: [Result<ResultFile, ResultError>] {
        outcomes.withLock { found in
            found.sorted { $0.key < $1.key }.flatMap(\.value)
        }
    }
}

import Glibc
import NetIO
import Testing

@Suite(.timeLimit(.minutes(5))) struct ChildProcessTests {
    @Test func tellsTheExitCode() throws {
        for code: CInt in [0, 1, 42] {
            let child = try shell("exit \(code)", captureOutput: false)
            let exit = try child.wait()
            #expect(exit.code == code)
            #expect(exit.signal == nil)
            #expect(try child.wait() == exit)
        }
    }

    @Test func capturesStandardOutput() throws {
        let child = try shell("echo one; echo two")
        #expect(try readOutput(of: child) == "one\ntwo\n")
        #expect(try child.wait().code == 0)
    }

    @Test func passesArgumentsAsTheyAre() throws {
        let child = try ChildProcess.spawn(
            executable: "/bin/echo",
            arguments: ["a b", "$HOME", "", "ü"],
            captureOutput: true
        )
        #expect(try readOutput(of: child) == "a b $HOME  ü\n")
    }

    @Test(arguments: [("/nonexistent/program", ENOENT), ("/etc/passwd", EACCES), ("/", EACCES)])
    func saysWhyAProgramCannotStart(path: String, errno: CInt) {
        #expect(throws: NetIOError.cannotSpawn(path: path, errno: errno)) {
            try ChildProcess.spawn(executable: path, arguments: [], captureOutput: false)
        }
    }

    @Test func itsStandardInputIsEmpty() throws {
        let child = try shell("cat; echo end")
        #expect(try readOutput(of: child) == "end\n")
    }

    @Test func inheritsNothingButTheStandardDescriptors() throws {
        // Not close-on-exec, and with a number that a shell does not use by itself.
        let null = open("/dev/null", O_RDONLY)
        let stray = fcntl(null, F_DUPFD, 200)
        defer {
            close(null)
            close(stray)
        }
        #expect(stray >= 200)
        let child = try shell("ls /proc/$$/fd/\(stray) 2>&1 && echo inherited; ls /proc/$$/fd/1")
        let output = try readOutput(of: child)
        #expect(!output.contains("inherited"))
        #expect(output.hasSuffix("/fd/1\n"))
    }

    @Test func findsTheSurroundingsThatItIsGiven() throws {
        var ends: [CInt] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var surroundings = ChildProcess.Surroundings()
        surroundings.input = ends[0]
        surroundings.output = ends[1]
        surroundings.errors = ends[1]
        surroundings.environment = ["COLOUR=blue sky"]
        surroundings.folder = "/usr"
        #expect(write(ends[1], "word\n", 5) == 5)
        let child = try ChildProcess.spawn(
            executable: "/bin/sh",
            arguments: ["-c", "read line; pwd >&2; echo \"$line $COLOUR ${HOME-none}\""],
            captureOutput: false,
            surroundings: surroundings
        )
        #expect(try child.wait().code == 0)
        var bytes = [UInt8](repeating: 0, count: 100)
        let count = read(ends[0], &bytes, bytes.count)
        let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
        #expect(text == "/usr\nword blue sky none\n")
    }

    @Test func folderThatIsMissingKeepsItFromStarting() {
        var surroundings = ChildProcess.Surroundings()
        surroundings.folder = "/nonexistent"
        #expect(throws: NetIOError.cannotSpawn(path: "/bin/sh", errno: ENOENT)) {
            try ChildProcess.spawn(
                executable: "/bin/sh",
                arguments: [],
                captureOutput: false,
                surroundings: surroundings
            )
        }
    }

    @Test func leadsAProcessGroup() throws {
        let child = try shell("read _ _ _ _ group _ < /proc/$$/stat; echo $$ $group")
        let output = try readOutput(of: child)
        #expect(output == "\(child.pid) \(child.pid)\n")
        #expect(getpgrp() != child.pid)
    }

    @Test func startsWithSignalsReset() throws {
        let child = try shell("while read line; do echo \"$line\"; done < /proc/$$/status")
        let output = try readOutput(of: child)
        for field in ["SigBlk", "SigIgn"] {
            let line = try #require(output.split(separator: "\n").first { $0.hasPrefix(field) })
            let mask = try #require(UInt64(line.suffix(16), radix: 16))
            // The C library keeps 32 and 33 to itself.
            #expect(mask & 0x7FFF_FFFF == 0, "\(line)")
        }
    }

    @Test func terminateAsksItToEnd() throws {
        // Not with TERM: until it is `sleep`, the shell's copy catches that as the shell does, and what
        // is left over keeps the tests' output open.
        let child = try shell(
            "trap 'kill -KILL $!; exit 7' TERM; sleep 1000 & echo ready; wait"
        )
        try waitForOutput(of: child)
        #expect(child.exitIfEnded() == nil)
        child.terminate()
        #expect(try child.wait().code == 7)
        // Nothing happens to whoever has the number now.
        child.terminate()
        child.kill()
    }

    @Test func killEndsItsWholeGroup() throws {
        let child = try shell("sleep 1000 & echo $!; wait")
        let line = try waitForOutput(of: child)
        let grandchild = try #require(Int32(line.prefix { $0.isNumber }))
        child.kill()
        let exit = try child.wait()
        #expect(exit.signal == SIGKILL)
        #expect(exit.code == nil)
        try waitUntilGone(grandchild)
    }

    @Test func isEndedWhenItsOwnerIsGone() throws {
        var child: ChildProcess? = try shell("sleep 1000", captureOutput: false)
        let pid = try #require(child?.pid)
        #expect(Glibc.kill(pid, 0) == 0)
        child = nil
        // Reaped, not only killed.
        #expect(Glibc.kill(pid, 0) == -1)
        #expect(errno == ESRCH)
    }

    @Test func getsASignalWhenTheThreadThatSpawnedItEnds() throws {
        let box = Box()
        let thread = try LoopThread(name: "spawner") {
            box.child = try? ChildProcess.spawn(
                executable: "/bin/sleep",
                arguments: ["1000"],
                captureOutput: false
            )
        }
        thread.join()
        let child = try #require(box.child)
        #expect(try child.wait().signal == SIGTERM)
    }

    @Test func tellsWhatItUsed() throws {
        let child = try shell("i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo done; read x")
        try waitForOutput(of: child)
        let exit = try child.wait()
        #expect(exit.cpuNanoseconds > 0)
        #expect(exit.peakRSSBytes > 100_000)
    }

    @Test func measuresTheCPUTimeOfARunningChild() throws {
        let child = try shell("while :; do :; done", captureOutput: false)
        let first = try #require(ProcessUsage.cpuNanoseconds(ofProcess: child.pid))
        while try #require(ProcessUsage.cpuNanoseconds(ofProcess: child.pid)) <= first {
            sched_yield()
        }
        child.kill()
        _ = try child.wait()
        #expect(ProcessUsage.cpuNanoseconds(ofProcess: child.pid) == nil)
    }

    // MARK: - Helpers

    /// Unchecked: one thread writes it and is joined before another reads it.
    private final class Box: @unchecked Sendable {
        var child: ChildProcess?
    }

    private func shell(_ script: String, captureOutput: Bool = true) throws -> ChildProcess {
        try .spawn(executable: "/bin/sh", arguments: ["-c", script], captureOutput: captureOutput)
    }

    /// Everything that it writes until it ends.
    private func readOutput(of child: ChildProcess) throws -> String {
        var output: [UInt8] = []
        while let piece = try readPiece(of: child) { output += piece }
        return String(decoding: output, as: UTF8.self)
    }

    /// The first thing that it writes.
    @discardableResult
    private func waitForOutput(of child: ChildProcess) throws -> String {
        String(decoding: try #require(try readPiece(of: child)), as: UTF8.self)
    }

    private func readPiece(of child: ChildProcess) throws -> [UInt8]? {
        let descriptor = try #require(child.outputDescriptor)
        let poller = try Poller()
        try poller.add(descriptor: descriptor, id: 0, interest: .read)
        try #require(try poller.wait(timeoutNanoseconds: Loopback.patience) > 0)
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = read(descriptor, &bytes, bytes.count)
        try #require(count >= 0)
        return count == 0 ? nil : Array(bytes.prefix(count))
    }

    private func waitUntilGone(_ pid: Int32) throws {
        let deadline = MonotonicInstant.now().advanced(by: Loopback.patience)
        // Its new parent may take a moment to reap it; a zombie uses no CPU and has no group left.
        while Glibc.kill(pid, 0) == 0, !isZombie(pid) {
            try #require(MonotonicInstant.now() < deadline, "process \(pid) goes on")
            sched_yield()
        }
    }

    private func isZombie(_ pid: Int32) -> Bool {
        guard let file = fopen("/proc/\(pid)/stat", "r") else { return true }
        defer { fclose(file) }
        var text = [UInt8](repeating: 0, count: 512)
        let count = fread(&text, 1, text.count, file)
        return String(decoding: text.prefix(count), as: UTF8.self).contains(") Z ")
    }
}

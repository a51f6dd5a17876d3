import Testing

@testable import Results

@Suite struct MachineTests {
    private static func cpuinfo(_ model: String, cores: Int, megahertz: String) -> String {
        (0..<cores).map { core in
            """
            processor\t: \(core)
            model name\t: \(model)
            microcode\t: 0x\(megahertz)
            cpu MHz\t\t: \(megahertz)
            bogomips\t: \(megahertz).30

            """
        }.joined(separator: "\n")
    }

    private static let debian = """
        PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"
        VERSION_ID="12"
        ID=debian
        HOME_URL="https://www.debian.org/?a=b"
        """

    private func read(_ files: [String: String]) throws -> Machine {
        let folder = try TemporaryFolder()
        try folder.fill(files)
        return Machine.read(SystemFiles(root: folder.path))
    }

    @Test func theMachineIsReadFromItsFiles() throws {
        let machine = try read([
            "/proc/cpuinfo": Self.cpuinfo("AMD EPYC", cores: 2, megahertz: "2596"),
            "/proc/meminfo": "MemTotal:       24684096 kB\nMemFree:        23328328 kB\n",
            "/etc/os-release": Self.debian,
            "/proc/sys/kernel/osrelease": "6.1.0-18-amd64\n",
            "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n",
            "/proc/self/cgroup": "0::/user.slice/run\n",
            "/sys/fs/cgroup/user.slice/run/cpu.max": "max 100000\n",
            "/sys/fs/cgroup/user.slice/cpu.max": "150000 100000\n",
        ])
        #expect(
            machine
                == Machine(
                    key: "amd-epyc-2c-32g-debian-12",
                    cpu: "AMD EPYC",
                    cores: 2,
                    memoryBytes: 24_684_096 * 1_024,
                    os: "Debian GNU/Linux 12 (bookworm)",
                    kernel: "6.1.0-18-amd64",
                    governor: "performance",
                    cgroupCPUs: 1.5
                )
        )
    }

    @Test(arguments: ["2596", "3100"], ["24684096", "24690240", "24001000"])
    func theKeyStaysOverReboots(megahertz: String, memory: String) throws {
        let machine = try read([
            "/proc/cpuinfo": Self.cpuinfo("AMD EPYC", cores: 2, megahertz: megahertz),
            "/proc/meminfo": "MemTotal: \(memory) kB\n",
            "/etc/os-release": Self.debian,
            "/proc/sys/kernel/osrelease": "6.1.0-\(megahertz)\n",
        ])
        #expect(machine.key == "amd-epyc-2c-32g-debian-12")
    }

    @Test(arguments: [
        (
            "Intel(R) Xeon(R) CPU E5-2676 v3 @ 2.40GHz", 4, "16367300", "ubuntu", "24.04",
            "intel-xeon-cpu-e5-2676-v3-4c-16g-ubuntu-24.04"
        ),
        (
            "AMD Ryzen 9 7950X 16-Core Processor", 32, "65000000", "arch", "",
            "amd-ryzen-9-7950x-16-core-processor-32c-64g-arch-rolling"
        ),
        ("../../etc", 1, "900000", "debian", "12", "..-..-etc-1c-1g-debian-12"),
    ])
    func unlikeMachinesHaveUnlikeKeys(
        model: String,
        cores: Int,
        memory: String,
        id: String,
        version: String,
        key: String
    ) throws {
        let machine = try read([
            "/proc/cpuinfo": Self.cpuinfo(model, cores: cores, megahertz: "1"),
            "/proc/meminfo": "MemTotal: \(memory) kB\n",
            "/etc/os-release": "ID=\(id)\n" + (version.isEmpty ? "" : "VERSION_ID=\"\(version)\"\n")
            ,
        ])
        #expect(machine.key == key)
    }

    @Test func anARMMachineIsNamedByItsNumbers() throws {
        let machine = try read([
            "/proc/cpuinfo": """
            processor\t: 0
            CPU implementer\t: 0x41
            CPU part\t: 0xd0c
            """
        ])
        #expect(machine.cpu == "ARM 0x41 0xd0c")
        #expect(machine.cores == 1)
    }

    @Test func aMachineThatTellsNothingIsUnknownAndStillHasAKey() throws {
        let machine = try read([:])
        #expect(machine.cpu == "unknown")
        #expect(machine.key == "unknown-1c-1g-linux-rolling")
        #expect(machine.governor == nil)
        #expect(machine.cgroupCPUs == nil)
    }

    @Test func thisMachineIsKnown() throws {
        let start = try #require(ProcessorTimes.current())
        let machine = Machine.current(since: start)
        #expect(machine.memoryBytes > 1 << 20)
        #expect(machine.kernel != "unknown")
        #expect(machine.steal.map { (0...1).contains($0) } == true)
        #expect(machine.key == Machine.current().key)
        #expect(Machine.current().steal == nil)
    }

    @Test(arguments: [
        // Version 1, where the limit of a folder above is the tighter one.
        (
            [
                "/proc/self/cgroup": "4:memory:/x\n2:cpu,cpuacct:/a/b\n0::/\n",
                "/sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us": "400000\n",
                "/sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us": "100000\n",
                "/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "50000\n",
                "/sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000\n",
                "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            ], 0.5 as Double?
        ),
        // Inside a container's name space the own group is the root.
        (
            ["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "200000 100000\n"], 2
        ),
        (["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "max 100000\n"], nil),
        (["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "100000 0\n"], nil),
        (["/proc/self/cgroup": "nonsense\n"], nil),
    ])
    func theControlGroupsLimitIsFound(files: [String: String], limit: Double?) throws {
        let folder = try TemporaryFolder()
        try folder.fill(files)
        #expect(ControlGroup.processorLimit(SystemFiles(root: folder.path)) == limit)
    }

    @Test func stealIsTheShareBetweenTwoReadings() throws {
        let folder = try TemporaryFolder()
        try folder.fill(["/proc/stat": "cpu  2776 0 2133 150768 1217 0 27 10 500 0\ncpu0 1 2\n"])
        let reading = try #require(ProcessorTimes.read(SystemFiles(root: folder.path)))
        #expect(reading == ProcessorTimes(total: 156_931, stolen: 10))
        let later = ProcessorTimes(total: 156_931 + 1_000, stolen: 10 + 25)
        #expect(later.stealShare(since: reading) == 0.025)
        #expect(reading.stealShare(since: reading) == 0)
        #expect(reading.stealShare(since: later) == 0)
    }
}

/// The machine a result was measured on.
public struct Machine: Codable, Equatable, Sendable {
    /// What makes two machines alike: CPU model, cores, memory class and OS release.
    ///
    /// The same after a reboot and on another machine of the same kind; no host name, clock rate
    /// or exact memory is in it. A part of a path: letters, digits, `.` and `-` only.
    public var key: String
    /// The CPU's model name.
    public var cpu: String
    /// CPUs that are on line.
    public var cores: Int
    /// Memory that the kernel manages, in bytes.
    public var memoryBytes: Int64
    /// The name of the operating system's release.
    public var os: String
    /// The kernel's release.
    public var kernel: String
    /// The frequency governor of the first CPU; absent where the kernel does not steer it.
    public var governor: String?
    /// How many CPUs' worth of time the control group allows; absent without a limit.
    public var cgroupCPUs: Double?
    /// The share of CPU time, 0 to 1, that the hypervisor gave to others during the run.
    public var steal: Double?

    /// Makes the description of a machine.
    ///
    /// - Parameters:
    ///   - key: The key; see ``key``.
    ///   - cpu: The CPU's model name.
    ///   - cores: CPUs that are on line.
    ///   - memoryBytes: Memory in bytes.
    ///   - os: The name of the operating system's release.
    ///   - kernel: The kernel's release.
    ///   - governor: The frequency governor, if any.
    ///   - cgroupCPUs: The control group's limit, if any.
    ///   - steal: The share of stolen CPU time, if known.
    public init(
        key: String,
        cpu: String,
        cores: Int,
        memoryBytes: Int64,
        os: String,
        kernel: String,
        governor: String? = nil,
        cgroupCPUs: Double? = nil,
        steal: Double? = nil
    ) {
        self.key = key
        self.cpu = cpu
        self.cores = cores
        self.memoryBytes = memoryBytes
        self.os = os
        self.kernel = kernel
        self.governor = governor
        self.cgroupCPUs = cgroupCPUs
        self.steal = steal
    }
}

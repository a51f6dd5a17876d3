extension Machine {
    /// This machine, as /proc, /sys and /etc tell.
    ///
    /// - Parameter start: The CPU times when the run began, for ``steal``; nil leaves it out.
    /// - Returns: The description; what cannot be read is "unknown" or absent.
    public static func current(since start: ProcessorTimes? = nil) -> Machine {
        var machine = read(SystemFiles(root: ""))
        machine.steal = start.flatMap { start in
            ProcessorTimes.current().map { $0.stealShare(since: start) }
        }
        return machine
    }

    /// The machine that the files below a root describe.
    static func read(_ files: SystemFiles) -> Machine {
        let processors = files.fields("/proc/cpuinfo", separator: ":")
        let release = Dictionary(
            files.fields("/etc/os-release", separator: "=").map { ($0.name, unquoted($0.value)) },
            uniquingKeysWith: { _, last in last }
        )
        let cpu = model(processors)
        let cores = max(processors.count { $0.name == "processor" }, 1)
        let memory = memoryBytes(files)
        let os = release["PRETTY_NAME"] ?? release["ID"] ?? "unknown"
        let id = "\(release["ID"] ?? "linux")-\(release["VERSION_ID"] ?? "rolling")"
        return Machine(
            key: slug("\(plain(cpu)) \(cores)c \(memoryClass(memory))g \(id)"),
            cpu: cpu,
            cores: cores,
            memoryBytes: memory,
            os: os,
            kernel: files.line("/proc/sys/kernel/osrelease") ?? "unknown",
            governor: files.line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            cgroupCPUs: ControlGroup.processorLimit(files)
        )
    }

    /// The CPU's model; ARM names only numbers of its maker and part.
    private static func model(_ fields: [SystemFiles.Field]) -> String {
        func first(_ name: String) -> String? {
            fields.first { $0.name == name && !$0.value.isEmpty }?.value
        }
        if let name = first("model name") ?? first("cpu model") ?? first("cpu") {
            return name
        }
        guard let implementer = first("CPU implementer"), let part = first("CPU part") else {
            return "unknown"
        }
        return "ARM \(implementer) \(part)"
    }

    private static func memoryBytes(_ files: SystemFiles) -> Int64 {
        let total = files.fields("/proc/meminfo", separator: ":").first { $0.name == "MemTotal" }
        let kibibytes = total.flatMap { Int64($0.value.prefix { $0.isNumber }) } ?? 0
        return kibibytes.multipliedReportingOverflow(by: 1_024).partialValue
    }

    /// The model without what says the clock rate and without trade marks.
    private static func plain(_ model: String) -> String {
        var words = model.split(separator: "@")[...].first.map(String.init) ?? model
        for mark in ["(R)", "(r)", "(TM)", "(tm)"] {
            words = words.split(separator: mark).joined(separator: " ")
        }
        return words
    }

    /// The power of two nearest to the memory in GiB, at least 1: what the kernel keeps for itself
    /// differs from boot to boot and does not change the class.
    private static func memoryClass(_ bytes: Int64) -> Int64 {
        var gibibytes: Int64 = 1
        // The border between two classes is their geometric mean.
        while Double(bytes) > Double(gibibytes) * 1.414_213_562 * Double(1 << 30) {
            gibibytes *= 2
        }
        return gibibytes
    }

    /// Lower-case letters, digits and dots, with one hyphen for each run of anything else.
    private static func slug(_ text: String) -> String {
        let kept = text.lowercased().map { letter in
            letter.isASCII && (letter.isLetter || letter.isNumber || letter == ".") ? letter : " "
        }
        return String(kept).split(separator: " ").joined(separator: "-")
    }

    private static func unquoted(_ value: String) -> String {
        value.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
            ? String(value.dropFirst().dropLast()) : value
    }
}

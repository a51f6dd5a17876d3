/// The control group of this process.
enum ControlGroup {
    /// How many CPUs' worth of time this group and those above it allow; nil without a limit.
    ///
    /// Reads version 2 (`cpu.max`) and version 1 (`cpu.cfs_quota_us`).
    static func processorLimit(_ files: SystemFiles) -> Double? {
        var limits: [Double] = []
        for line in (files.text("/proc/self/cgroup") ?? "").split(whereSeparator: \.isNewline) {
            // hierarchy:controllers:path
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else {
                continue
            }
            let isUnified = parts[1].isEmpty
            guard isUnified || parts[1].split(separator: ",").contains("cpu") else {
                continue
            }
            for path in selfAndAncestors(parts[2]) {
                let folder = "/sys/fs/cgroup" + (isUnified ? "" : "/cpu") + path
                limits += [isUnified ? unified(files, folder) : legacy(files, folder)]
                    .compactMap(\.self)
            }
        }
        return limits.min()
    }

    private static func unified(_ files: SystemFiles, _ folder: String) -> Double? {
        let words = files.line(folder + "/cpu.max")?.split(separator: " ") ?? []
        return words.count == 2 ? limit(quota: Double(words[0]), period: Double(words[1])) : nil
    }

    private static func legacy(_ files: SystemFiles, _ folder: String) -> Double? {
        limit(
            quota: files.line(folder + "/cpu.cfs_quota_us").flatMap(Double.init),
            period: files.line(folder + "/cpu.cfs_period_us").flatMap(Double.init)
        )
    }

    /// "max" is no number, and version 1 writes -1 for no limit.
    private static func limit(quota: Double?, period: Double?) -> Double? {
        guard let quota, let period, quota > 0, period > 0, quota.isFinite else {
            return nil
        }
        return quota / period
    }

    /// The path, each folder above it, and the root as "".
    private static func selfAndAncestors(_ path: Substring) -> [String] {
        let parts = path.split(separator: "/")
        return (0...parts.count).map { count in
            parts.prefix(count).map { "/\($0)" }.joined()
        }
    }
}

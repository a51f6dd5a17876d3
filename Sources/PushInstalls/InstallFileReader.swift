import Glibc
public import PushCrypto
public import PushModel

/// Reads an install file, CSV or NDJSON, as a stream (contract 10.3).
///
/// The file may be of any length: one buffer of about 1.3 MB serves for all of it. A malformed line
/// is counted and left out, unless the reading is strict. A reader reads once, on the calling
/// thread, and blocks as `read` does.
public struct InstallFileReader: ~Copyable {
    private let descriptor: Int32
    private let ownsDescriptor: Bool
    private let name: String
    private let format: InstallFileFormat?
    private let policy: InstallReadingPolicy

    /// Opens a file.
    ///
    /// - Parameters:
    ///   - path: The file's path. Its ending tells the format where `format` is nil.
    ///   - format: The format; nil to go by the name, else by the first byte.
    ///   - isStrict: Whether the first malformed line ends the reading with an error.
    ///   - keptFaults: How many malformed lines are kept in detail.
    /// - Throws: ``InstallFileError/cannotOpen(name:errorNumber:)``.
    public init(
        path: String,
        format: InstallFileFormat? = nil,
        isStrict: Bool = false,
        keptFaults: Int = 100
    ) throws(InstallFileError) {
        // A blocking open would wait for another writer of a pipe though one has been and gone.
        let opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard opened >= 0 else { throw .cannotOpen(name: path, errorNumber: errno) }
        _ = fcntl(opened, F_SETFL, 0)
        descriptor = opened
        ownsDescriptor = true
        name = path
        self.format = format ?? .named(by: path)
        policy = InstallReadingPolicy(isStrict: isStrict, keptFaults: keptFaults)
    }

    /// Takes a descriptor that stays the caller's, for example standard input.
    ///
    /// - Parameters:
    ///   - descriptor: An open descriptor to read from.
    ///   - name: What errors call it.
    ///   - format: The format; nil to go by the name, else by the first byte.
    ///   - isStrict: Whether the first malformed line ends the reading with an error.
    ///   - keptFaults: How many malformed lines are kept in detail.
    public init(
        descriptor: Int32,
        name: String,
        format: InstallFileFormat? = nil,
        isStrict: Bool = false,
        keptFaults: Int = 100
    ) {
        self.descriptor = descriptor
        ownsDescriptor = false
        self.name = name
        self.format = format ?? .named(by: name)
        policy = InstallReadingPolicy(isStrict: isStrict, keptFaults: keptFaults)
    }

    deinit {
        if ownsDescriptor { _ = close(descriptor) }
    }

    /// Appends the file's installs to a table, in the order of the file.
    ///
    /// - Parameters:
    ///   - table: Where the installs go. After an error it holds those read so far.
    ///   - keys: Where their public keys go; nil to check them only, and take the installs without.
    ///   - onProgress: Told the number of installs so far, now and then, on this thread.
    /// - Returns: What was taken and what was malformed.
    /// - Throws: ``InstallFileError``.
    public consuming func read(
        into table: InstallTable,
        keys: PublicKeyStore? = nil,
        onProgress: ((Int) -> Void)? = nil
    ) throws(InstallFileError) -> InstallFileReport {
        var reading = try InstallReading(
            lines: LineReader(descriptor: descriptor, name: name),
            sink: TableSink(table: table, keys: keys),
            format: format,
            policy: policy
        )
        reading.onProgress = onProgress
        try reading.run()
        return reading.report
    }

    /// Looks the whole file over and keeps nothing but counts.
    ///
    /// Tokens are compared without regard to case, by a 64-bit hash: the chance of a false
    /// duplicate among 100 million installs is below one in a thousand. This takes 11 to 32 bytes
    /// an install.
    ///
    /// - Returns: The counts.
    /// - Throws: ``InstallFileError``.
    public consuming func check() throws(InstallFileError) -> InstallCheck {
        var reading = try InstallReading(
            lines: LineReader(descriptor: descriptor, name: name),
            sink: CheckSink(keptDuplicates: policy.keptFaults),
            format: format,
            policy: policy
        )
        try reading.run()
        return InstallCheck(name: name, report: reading.report, sink: reading.sink)
    }
}

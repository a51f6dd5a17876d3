/// Files that hold what is personal: whole or absent, and for their owner's eyes alone.
public enum PrivateFile {
    /// Puts `bytes` under `path` with mode 0600; on failure the path stays as it was.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - path: Where it goes; the folder has to exist. A device or pipe is written in place.
    /// - Throws: ``FileFault`` of the first call that failed.
    public static func write(_ bytes: [UInt8], to path: String) throws(FileFault) {
        try AtomicFile.write(bytes, to: path, mode: 0o600)
    }
}

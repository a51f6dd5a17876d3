/// Texts made from results, written so that nobody sees half of one.
public enum TextFile {
    /// Writes `text` so that the path holds all of it or what was there before.
    ///
    /// - Parameters:
    ///   - text: The content.
    ///   - path: The file; its folder has to exist. A device or pipe is written in place.
    /// - Throws: ``ResultError/unwritable(path:fault:)``.
    public static func write(_ text: String, to path: String) throws(ResultError) {
        do {
            try AtomicFile.write(Array(text.utf8), to: path)
        } catch {
            throw .unwritable(path: path, fault: error)
        }
    }
}

/// The source of D3, which draws the page's plots; read from the system, never kept here.
public struct PlotLibrary: Sendable {
    /// The Debian package that brings it.
    public static let package = "libjs-d3"

    /// Where Debian and its relatives put it.
    public static let knownPaths = [
        "/usr/share/javascript/d3/d3.min.js", "/usr/share/javascript/d3/d3.js",
        "/usr/share/nodejs/d3/dist/d3.min.js",
    ]

    /// The file it came from.
    public let path: String
    let source: String

    /// Takes the text of a file as the library; nil for what is no text or does not look like D3.
    ///
    /// - Parameters:
    ///   - path: The file it came from.
    ///   - bytes: The file's content.
    public init?(path: String, bytes: [UInt8]) {
        guard let source = String(validating: bytes, as: UTF8.self), source.contains("d3") else {
            return nil
        }
        self.path = path
        self.source = source
    }
}

import Foundation

/// JSON for people and programs to read: stable key order, slashes as they are.
enum ReadableJSON {
    /// One document, pretty-printed.
    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}

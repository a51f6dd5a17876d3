/// Which links and images Xulo takes (contract 6.5, 11 `c-xulo-url`).
enum XuloURL {
    /// Whether `text` is an https address or a link of an app's own scheme.
    static func isLink(_ text: String) -> Bool {
        guard let (scheme, rest) = split(text) else { return false }
        switch scheme {
        case "http", "javascript", "data", "file": return false
        case "https": return hasHost(rest)
        default: return true
        }
    }

    /// Whether `text` is an https address.
    static func isImage(_ text: String) -> Bool {
        guard let (scheme, rest) = split(text) else { return false }
        return scheme == "https" && hasHost(rest)
    }

    /// The scheme in lowercase and what stands behind its colon; nil where the text is no URL.
    private static func split(_ text: String) -> (scheme: String, rest: [UInt8])? {
        let bytes = Array(text.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), colon + 1 < bytes.count,
            bytes.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
        else { return nil }
        for (position, byte) in bytes[..<colon].enumerated() {
            switch byte {
            case 0x41...0x5A, 0x61...0x7A: continue
            case 0x30...0x39, UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
                if position == 0 { return nil }
            default: return nil
            }
        }
        guard colon > 0 else { return nil }
        let scheme = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
        return (scheme, Array(bytes[(colon + 1)...]))
    }

    /// Whether the part behind `https:` is `//` and an authority with a host.
    private static func hasHost(_ rest: [UInt8]) -> Bool {
        guard rest.starts(with: "//".utf8) else { return false }
        let authority = rest.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
        let start = authority.lastIndex(of: UInt8(ascii: "@")).map { $0 + 1 }
        let host = authority[(start ?? authority.startIndex)...]
        return !host.isEmpty && host.first != UInt8(ascii: ":")
    }
}

/// Language tags and the lookup that chooses a message's language for a device (contract 5.4).
public enum LanguageTag {
    /// Normalises a tag: trims, cuts at `@` or `.`, turns `_` into `-`, lowers ASCII letters.
    ///
    /// - Parameter tag: A device's or a message's language, for example `de_DE.UTF-8`.
    /// - Returns: The normalised tag, or nil where it is empty or malformed
    ///   (RFC 4647 section 2.1, contract 11 `c-lang-tag`).
    public static func normalized(_ tag: String) -> String? {
        var bytes = Array(tag.utf8)
        let blank: Set<UInt8> = [0x20, 0x09, 0x0D, 0x0A]
        while let last = bytes.last, blank.contains(last) { bytes.removeLast() }
        let start = bytes.firstIndex { !blank.contains($0) } ?? bytes.endIndex
        bytes.removeFirst(start)
        if let cut = bytes.firstIndex(where: { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: ".") })
        {
            bytes.removeSubrange(cut...)
        }
        for index in bytes.indices {
            switch bytes[index] {
            case UInt8(ascii: "_"): bytes[index] = UInt8(ascii: "-")
            case 0x41...0x5A: bytes[index] |= 0x20
            default: break
            }
        }
        let subtags = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        for (position, subtag) in subtags.enumerated() {
            guard (1...8).contains(subtag.count) else { return nil }
            for byte in subtag {
                let isLetter = (0x61...0x7A).contains(byte)
                guard isLetter || (position > 0 && (0x30...0x39).contains(byte)) else { return nil }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The tags that are tried for a device, longest first (RFC 4647 section 3.4).
    ///
    /// A single-character subtag is dropped together with the one after it, repeatedly.
    ///
    /// - Parameter normalizedTag: A tag as ``normalized(_:)`` returns it.
    /// - Returns: The candidates in the order they are tried.
    public static func lookupCandidates(for normalizedTag: String) -> [String] {
        var subtags = normalizedTag.split(separator: "-", omittingEmptySubsequences: false)
        var candidates: [String] = []
        while !subtags.isEmpty {
            candidates.append(subtags.joined(separator: "-"))
            subtags.removeLast()
            while let last = subtags.last, last.count == 1 { subtags.removeLast() }
        }
        return candidates
    }

    /// The alias that the option `languageAliases` tries after a candidate (contract 5.4 rule 5).
    public static let aliases: [String: String] = [
        "zh-tw": "zh-hant", "zh-hk": "zh-hant", "zh-mo": "zh-hant",
        "zh-cn": "zh-hans", "zh-sg": "zh-hans",
        "iw": "he", "in": "id", "no": "nb",
    ]
}

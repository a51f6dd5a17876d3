import PushModel

/// The device languages of a synthetic audience and how common each is.
///
/// Written `en=60,tr=20,de-DE=15,none=5`. Shares are relative: they need not add up to 100.
/// The name `none` stands for installs that report no language.
public struct LanguageMix: Sendable, Equatable, CustomStringConvertible {
    /// One language and its share.
    public struct Entry: Sendable, Equatable {
        /// The device's language as it reports it; empty for none.
        public let language: String
        /// The share, in millionths of the unit it was written in.
        public let share: UInt64
    }

    /// The name that stands for installs without a language.
    public static let noLanguageName = "none"

    /// The languages in the order written.
    public let entries: [Entry]

    /// Reads a mix from its written form.
    ///
    /// - Parameter text: `LANGUAGE=SHARE` pairs separated by commas; a share is a decimal number
    ///   of at most six places. Blanks around either part are ignored.
    /// - Throws: ``LanguageMixError``, naming the pair that is wrong and the form it should have.
    public init(_ text: String) throws(LanguageMixError) {
        var entries: [Entry] = []
        var total: UInt64 = 0
        for pair in text.utf8.split(
            separator: UInt8(ascii: ","),
            omittingEmptySubsequences: false
        ) {
            let written = String(Substring(pair))
            let parts = pair.split(
                separator: UInt8(ascii: "="),
                maxSplits: 1,
                omittingEmptySubsequences: false
            )
            guard parts.count == 2 else { throw .notAPair(written) }
            let name = Self.trimmed(parts[0])
            guard !name.isEmpty else { throw .missingName(written) }
            guard Self.isDeviceLanguage(name) else { throw .malformedLanguage(name) }
            let shareText = Self.trimmed(parts[1])
            guard let share = Self.millionths(shareText) else {
                throw .malformedShare(language: name, share: shareText)
            }
            let language = name == Self.noLanguageName ? "" : name
            guard !entries.contains(where: { $0.language == language }) else {
                throw .repeatedLanguage(name)
            }
            entries.append(Entry(language: language, share: share))
            total += share
        }
        guard total > 0 else { throw .nothingToShare }
        self.entries = entries
    }

    /// The written form, which reads back as the same mix.
    public var description: String {
        entries.map { entry in
            let name = entry.language.isEmpty ? Self.noLanguageName : entry.language
            var share = String(entry.share / Self.unit)
            var fraction = String(entry.share % Self.unit + Self.unit).dropFirst()
            while fraction.last == "0" { fraction.removeLast() }
            if !fraction.isEmpty { share += "." + fraction }
            return name + "=" + share
        }.joined(separator: ",")
    }

    /// The shares added up one after the other; the last one is the total.
    var cumulativeShares: [UInt64] {
        var sum: UInt64 = 0
        return entries.map { entry in
            sum += entry.share
            return sum
        }
    }

    private static let unit: UInt64 = 1_000_000
    private static let longestName = 64

    /// Whether a device may report this: a tag, perhaps with the `.UTF-8` or `@euro` of a locale.
    private static func isDeviceLanguage(_ name: String) -> Bool {
        name.utf8.count <= longestName && LanguageTag.normalized(name) != nil
            && name.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "-_.@".utf8.contains(byte)
                }
            }
    }

    private static func trimmed(_ text: Substring.UTF8View) -> String {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        let rest = text.drop(while: isBlank)
        let end = rest.lastIndex { !isBlank($0) }.map(rest.index(after:)) ?? rest.startIndex
        return String(Substring(rest[..<end]))
    }

    /// A decimal number in millionths; nil where it is none, or beyond a million.
    private static func millionths(_ text: String) -> UInt64? {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first, (1...7).contains(whole.count),
            let units = decimal(whole), units <= unit
        else { return nil }
        guard parts.count == 2 else { return units * unit }
        let places = parts[1]
        guard (1...6).contains(places.count), var fraction = decimal(places) else { return nil }
        for _ in places.count..<6 { fraction *= 10 }
        return units * unit + fraction
    }

    private static func decimal(_ digits: Substring.UTF8View) -> UInt64? {
        var value: UInt64 = 0
        for digit in digits {
            guard (0x30...0x39).contains(digit) else { return nil }
            value = value * 10 + UInt64(digit - 0x30)
        }
        return value
    }
}

/// What is wrong with a written language mix.
public enum LanguageMixError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A part between two commas that is not `LANGUAGE=SHARE`.
    case notAPair(String)
    /// A pair with nothing before its `=`.
    case missingName(String)
    /// A name that is no language tag.
    case malformedLanguage(String)
    /// A share that is no number.
    case malformedShare(language: String, share: String)
    /// A language that is there twice.
    case repeatedLanguage(String)
    /// All shares are zero.
    case nothingToShare

    /// One sentence that names the fault and the mend.
    public var description: String {
        switch self {
        case .notAPair(let pair):
            "the language mix has '\(pair)' where LANGUAGE=SHARE belongs, as in en=60,tr=40"
        case .missingName(let pair):
            "the language mix has '\(pair)' without a language; "
                + "write none=SHARE for installs that report no language"
        case .malformedLanguage(let name):
            "the language mix has '\(name)', which is no language tag such as en, de-DE or zh-Hant"
        case .malformedShare(let language, let share):
            "the share '\(share)' of the language '\(language)' is not a number from 0 to 1000000 "
                + "with at most six decimal places"
        case .repeatedLanguage(let name):
            "the language mix names '\(name)' twice; give each language one share"
        case .nothingToShare:
            "every share of the language mix is 0; give at least one language a share above 0"
        }
    }
}

/// The choices `--option NAME=VALUE` makes where the contract leaves one (design 4).
///
/// An option of another dialect than the message's is ignored.
public struct PayloadOptions: Equatable, Sendable {
    /// What a character is where a text's length is limited (contract 6.1).
    public enum Characters: String, CaseIterable, Sendable {
        /// Unicode scalar values.
        case scalars
        /// Extended grapheme clusters, by the Unicode version of the program.
        case graphemes
    }

    /// Where Mapp's extra fields stand (contract 6.4).
    public enum ExtraFields: String, CaseIterable, Sendable {
        /// Beside `aps`.
        case flat
        /// In one object `extraFields`.
        case nested
    }

    /// Salesforce: `mutable-content` is the number 1, as Apple's table has it, instead of `true`.
    public var appleNumericFlags = false
    /// Xulo: buttons have the wire names that OneSignal's reader needs.
    public var onesignal = false
    /// Language lookup also tries the aliases of contract 5.4 rule 5.
    public var languageAliases = false
    /// Mapp: where the extra fields stand.
    public var extraFields = ExtraFields.flat
    /// What a character is.
    public var characters = Characters.scalars

    /// Makes the default options.
    public init() {}

    /// The names that ``set(_:)`` knows.
    public static let names = [
        "appleNumericFlags", "onesignal", "languageAliases", "extraFields", "characters",
    ]

    /// Makes options of the texts behind `--option`; a later one wins.
    ///
    /// - Parameter texts: Texts of the form `NAME=VALUE`.
    /// - Throws: ``PayloadOptionError`` for the first that is no option.
    public init(parsing texts: [String]) throws(PayloadOptionError) {
        for text in texts { try set(text) }
    }

    /// Sets one option.
    ///
    /// - Parameter text: The option as `NAME=VALUE`.
    /// - Throws: ``PayloadOptionError`` where the form, the name or the value is unknown.
    public mutating func set(_ text: String) throws(PayloadOptionError) {
        guard let separator = text.firstIndex(of: "=") else { throw .malformed(text) }
        let name = String(text[..<separator])
        let value = String(text[text.index(after: separator)...])
        switch name {
        case "appleNumericFlags": appleNumericFlags = try Self.flag(name, value)
        case "onesignal": onesignal = try Self.flag(name, value)
        case "languageAliases": languageAliases = try Self.flag(name, value)
        case "extraFields": extraFields = try Self.choice(name, value)
        case "characters": characters = try Self.choice(name, value)
        default: throw .unknownName(name)
        }
    }

    /// The options that change what the bodies of a dialect hold, as `--option` takes them; defaults
    /// and options of other dialects are left out.
    ///
    /// - Parameter dialect: The message's dialect.
    /// - Returns: The texts, in a fixed order.
    public func effective(in dialect: Dialect) -> [String] {
        var texts = languageAliases ? ["languageAliases=true"] : []
        switch dialect {
        case .apns: break
        case .mapp: if extraFields != .flat { texts.append("extraFields=\(extraFields.rawValue)") }
        case .salesforce: if appleNumericFlags { texts.append("appleNumericFlags=true") }
        // What a character is decides over a refusal alone.
        case .xulo: if onesignal { texts.append("onesignal=true") }
        }
        return texts
    }

    private static func flag(_ name: String, _ value: String) throws(PayloadOptionError) -> Bool {
        switch value {
        case "true": return true
        case "false": return false
        default: throw .unknownValue(name: name, value: value, allowed: ["true", "false"])
        }
    }

    private static func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String,
        _ value: String
    ) throws(PayloadOptionError) -> Choice where Choice.RawValue == String {
        if let choice = Choice(rawValue: value) { return choice }
        throw .unknownValue(name: name, value: value, allowed: Choice.allCases.map(\.rawValue))
    }
}

/// Why a text behind `--option` is no option.
public enum PayloadOptionError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The text has no `=`.
    case malformed(String)
    /// No option has the name.
    case unknownName(String)
    /// The option does not take the value.
    case unknownValue(name: String, value: String, allowed: [String])

    /// One sentence that names the option and the mend.
    public var description: String {
        switch self {
        case .malformed(let text):
            return "option \"\(text)\" has no value; write it as NAME=VALUE"
        case .unknownName(let name):
            let known = PayloadOptions.names
            if let nearest = NearestName.find(name, in: known) {
                return "unknown option \"\(name)\"; did you mean \"\(nearest)\"?"
            }
            return "unknown option \"\(name)\"; the options are \(known.joined(separator: ", "))"
        case .unknownValue(let name, let value, let allowed):
            return "option \(name) does not take \"\(value)\"; write \(name)="
                + allowed.joined(separator: " or \(name)=")
        }
    }
}

import PushModel

/// A visible text: one for every language, or one a language (contract 10.1).
enum LocalizedText: Sendable {
    case plain(String)
    case map(LanguageMap)

    /// Reads a field that is a string or a map of languages.
    static func read(
        _ name: String,
        from reader: FieldReader,
        _ faults: inout FaultList
    ) -> LocalizedText? {
        switch reader.value(name) {
        case nil: return nil
        case .string(let text): return .plain(text)
        case .object(let object):
            return .map(LanguageMap(object, at: reader.path(of: name), &faults))
        case .some(let value):
            faults.add(
                .wrongType,
                at: reader.path(of: name),
                "\(name) must be a string or a map of languages, not \(value.kind)"
            )
            return nil
        }
    }

    /// The text in a language; a plain one serves every language.
    func text(in language: LanguageMap.Entry?) -> String? {
        switch self {
        case .plain(let text): text
        case .map(let map): language.flatMap { map.text(in: $0.normalized) }
        }
    }
}

/// The texts of one field by language, in the order of the message.
struct LanguageMap: Sendable {
    /// A language of a map and its text.
    struct Entry: Sendable {
        /// The language as the message spells it.
        var written: String
        /// The language as it is compared (contract 5.4 rule 1).
        var normalized: String
        /// The text; nil where the message has something else.
        var text: String?
    }

    let path: String
    private(set) var entries: [Entry] = []
    /// Whether the languages themselves are uncertain, so that other fields are not judged by them.
    private(set) var hasUncertainLanguages = false

    /// Reads a map; `check` looks at each text, with its path.
    init(
        _ object: JSONObject,
        at path: String,
        mayBeEmpty: Bool = false,
        _ faults: inout FaultList,
        check: (String, String, inout FaultList) -> Void = { _, _, _ in }
    ) {
        self.path = path
        if object.members.isEmpty, !mayBeEmpty {
            hasUncertainLanguages = true
            faults.add(.missingField, at: path, "the map names no language; give at least one text")
        }
        let reader = FieldReader(object, at: path)
        for member in object.members {
            let place = reader.path(of: member.key)
            var text: String?
            if let normalized = LanguageTag.normalized(member.key) {
                if let first = entries.first(where: { $0.normalized == normalized }) {
                    let message = "\(member.key) and \(first.written) are one language; remove one"
                    faults.add(.duplicateLanguage, at: place, message)
                } else {
                    if case .string(let value) = member.value { text = value }
                    let entry = Entry(written: member.key, normalized: normalized, text: text)
                    entries.append(entry)
                }
            } else {
                hasUncertainLanguages = true
                let message = "\"\(member.key)\" is no language tag; write one like en or zh-Hant"
                faults.add(.invalidLanguage, at: place, message)
            }
            if case .string(let value) = member.value {
                check(value, place, &faults)
            } else {
                let message = "the text of a language must be a string, not \(member.value.kind)"
                faults.add(.wrongType, at: place, message)
            }
        }
    }

    /// The text in a language, given as it is compared.
    func text(in normalized: String) -> String? {
        entries.first { $0.normalized == normalized }?.text
    }

    func contains(_ normalized: String) -> Bool {
        entries.contains { $0.normalized == normalized }
    }
}

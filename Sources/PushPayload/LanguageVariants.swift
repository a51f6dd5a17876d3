import PushModel

/// The languages of a message, one body each, and the choice among them (contract 5.4, 11).
struct LanguageVariants: Sendable {
    /// The map that leads; nil where the message has one text for all.
    private let leading: LanguageMap?
    /// Whether the texts are so broken that the default cannot be judged by them.
    private let isUncertain: Bool
    private var defaultIndex: Int

    /// Takes the languages of the first map among `texts`, and checks the other maps against it.
    ///
    /// - Parameters:
    ///   - texts: The localised fields, the leading one first (contract 11 `c-lang-map`).
    ///   - isUncertain: Whether a text field was unusable, so that the languages are not known.
    ///   - areAllRequired: Whether every map must have every language of the leading one.
    ///   - faults: Where `missing_field` goes for a language that only another map has, or
    ///     that a required one lacks.
    init(
        of texts: [LocalizedText?],
        isUncertain: Bool = false,
        areAllRequired: Bool = false,
        _ faults: inout FaultList
    ) {
        let maps = texts.compactMap { text -> LanguageMap? in
            if case .map(let map) = text { return map }
            return nil
        }
        leading = maps.first
        self.isUncertain = isUncertain || maps.first?.hasUncertainLanguages ?? false
        defaultIndex = maps.first?.entries.firstIndex { $0.normalized == "en" } ?? 0
        guard let first = maps.first, !self.isUncertain else { return }
        var missing: [String] = []
        for map in maps.dropFirst() {
            for entry in map.entries
            where !first.contains(entry.normalized) && !missing.contains(entry.normalized) {
                missing.append(entry.normalized)
                let message =
                    "\(map.path) has a text in \(entry.written), so \(first.path) needs one too"
                faults.add(.missingField, at: "\(first.path).\(entry.written)", message)
            }
            // A map with a broken language may have meant the one that it lacks.
            guard areAllRequired, !map.hasUncertainLanguages else { continue }
            for entry in first.entries where !map.contains(entry.normalized) {
                let message =
                    "\(first.path) has a text in \(entry.written), so \(map.path) needs one too"
                faults.add(.missingField, at: "\(map.path).\(entry.written)", message)
            }
        }
    }

    /// Whether the languages are not known: the map that leads may be a text that is missing or
    /// could not be read.
    ///
    /// - Parameter texts: The localised fields in their order; nil for one without a text.
    /// - Returns: Whether nothing can be judged by the languages.
    static func isUncertain(leading texts: [LocalizedText?]) -> Bool {
        for text in texts {
            switch text {
            case nil: return true
            case .map: return false
            case .plain: continue
            }
        }
        return false
    }

    /// Reads the field `defaultLanguage`, which must be one of the languages.
    mutating func readDefault(from reader: FieldReader, _ faults: inout FaultList) {
        let name = "defaultLanguage"
        guard let written = reader.string(name, &faults), !isUncertain else { return }
        let place = reader.path(of: name)
        guard let leading else {
            let message = "the message has one text for all languages; remove defaultLanguage"
            faults.add(.unknownDefaultLanguage, at: place, message)
            return
        }
        let normalized = LanguageTag.normalized(written)
        if let index = leading.entries.firstIndex(where: { $0.normalized == normalized }) {
            defaultIndex = index
        } else {
            let known = FieldReader.list(leading.entries.map(\.written))
            let message = "\(leading.path) has no language \"\(written)\"; write \(known)"
            faults.add(.unknownDefaultLanguage, at: place, message)
        }
    }

    /// The number of bodies: one a language, one where the message has no languages.
    var count: Int { max(leading?.entries.count ?? 0, 1) }

    /// The language of a body; nil where the message has no languages.
    func language(of variant: Int) -> LanguageMap.Entry? {
        guard let leading, leading.entries.indices.contains(variant) else { return nil }
        return leading.entries[variant]
    }

    /// Where a fault of one whole body is reported (contract 11 `c-size-path`).
    func path(of variant: Int) -> String {
        guard let leading, let language = language(of: variant) else { return "" }
        return "\(leading.path).\(language.written)"
    }

    /// The body for a device's language (RFC 4647 section 3.4, else the default).
    ///
    /// - Parameters:
    ///   - language: The language as the device spells it; nil or malformed takes the default.
    ///   - usesAliases: Whether each candidate's alias is tried after it.
    /// - Returns: The index of the body.
    func variant(forDeviceLanguage language: String?, usesAliases: Bool) -> Int {
        guard let leading, let language, let range = LanguageTag.normalized(language) else {
            return defaultIndex
        }
        for candidate in LanguageTag.lookupCandidates(for: range) {
            if let index = leading.entries.firstIndex(where: { $0.normalized == candidate }) {
                return index
            }
            guard usesAliases, let alias = LanguageTag.aliases[candidate] else { continue }
            if let index = leading.entries.firstIndex(where: { $0.normalized == alias }) {
                return index
            }
        }
        return defaultIndex
    }
}

extension InstallCheck {
    /// The check in words, at most 30 lines, each without a line break.
    ///
    /// - Returns: The lines, what matters most first.
    public func summaryLines() -> [String] {
        var lines = [
            "\(name): \(Self.grouped(report.installs)) \(Self.plural("install", report.installs))"
                + " (\(report.format.rawValue.uppercased())), "
                + (report.malformed == 0
                    ? "no malformed line"
                    : "\(Self.grouped(report.malformed)) malformed "
                        + Self.plural("line", report.malformed))
        ]
        lines += faultLines()
        lines.append(duplicateLine())
        lines.append(
            "environment   production \(Self.grouped(report.installs - sandboxInstalls)), "
                + "sandbox \(Self.grouped(sandboxInstalls))"
        )
        lines.append(
            "tokens        "
                + Self.list(tokenLengths, limit: 6) {
                    "\($0.digits) digits: \(Self.grouped($0.installs))"
                }
        )
        lines.append(
            "badge         " + share(installsWithBadge, widestBadge.map { "largest \($0)" })
        )
        lines.append(
            "uid           "
                + share(installsWithUID, longestUID > 0 ? "longest \(longestUID) bytes" : nil)
        )
        lines.append("public key    " + share(report.installsWithKey, keyText))
        if !report.ignoredColumns.isEmpty {
            lines.append(
                "not used      " + Self.list(report.ignoredColumns, limit: 8) { Self.shown($0) }
            )
        }
        return lines + languageLines()
    }

    private var keyText: String {
        let oaep = report.installsWithKey - installsWithPKCS1
        return "\(Self.grouped(distinctKeys)) distinct, OAEP \(Self.grouped(oaep)), "
            + "PKCS#1 \(Self.grouped(installsWithPKCS1))"
    }

    private func faultLines() -> [String] {
        guard report.malformed > 0 else { return [] }
        let codes = InstallFaultCode.allCases.filter { report.malformed($0) > 0 }.map {
            "\($0.rawValue) \(Self.grouped(report.malformed($0)))"
        }
        let shown = report.faults.prefix(5)
        var lines = ["  " + codes.joined(separator: ", ")]
        lines += shown.map { "  \($0)" }
        let rest = report.malformed - shown.count
        if rest > 0 { lines.append("  and \(Self.grouped(rest)) more") }
        return lines
    }

    private func duplicateLine() -> String {
        guard duplicateTokens > 0 else { return "duplicates    none" }
        return "duplicates    \(Self.grouped(duplicateTokens)) "
            + "\(Self.plural("install", duplicateTokens)) with a token seen before, "
            + Self.plural("line", duplicateTokens) + " "
            + Self.list(duplicateLines, limit: 5, total: duplicateTokens) { String($0) }
    }

    private func languageLines() -> [String] {
        let rows = languages.prefix(8).map { entry in
            let name = entry.language.isEmpty ? "none" : Self.shown(entry.language)
            let pad = String(repeating: " ", count: max(1, 14 - name.count))
            return "  " + name + pad + share(entry.installs, nil)
        }
        let rest = languages.count - rows.count
        return ["languages     \(languages.count)"] + rows
            + (rest > 0 ? ["  and \(Self.grouped(rest)) more"] : [])
    }

    private func share(_ count: Int, _ extra: String?) -> String {
        guard count > 0, report.installs > 0 else { return "none" }
        let tenths = (count * 1_000 + report.installs / 2) / report.installs
        return "\(Self.grouped(count)) (\(tenths / 10).\(tenths % 10)%)"
            + (extra.map { ", " + $0 } ?? "")
    }

    private static func list<Value>(
        _ values: [Value],
        limit: Int,
        total: Int? = nil,
        _ text: (Value) -> String
    ) -> String {
        let rest = (total ?? values.count) - min(limit, values.count)
        return values.prefix(limit).map(text).joined(separator: ", ")
            + (rest > 0 ? " and \(grouped(rest)) more" : "")
    }

    private static func plural(_ word: String, _ count: Int) -> String {
        count == 1 ? word : word + "s"
    }

    /// A text from outside, short and without anything a terminal would obey.
    private static func shown(_ text: String) -> String {
        let printable = text.unicodeScalars.prefix(40).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: Unicode.Scalar("?")
            default: scalar
            }
        }
        return String(String.UnicodeScalarView(printable))
    }

    private static func grouped(_ number: Int) -> String {
        let digits = String(number)
        var text = ""
        for (position, digit) in digits.enumerated() {
            if position > 0, (digits.count - position).isMultiple(of: 3) { text.append(",") }
            text.append(digit)
        }
        return text
    }
}

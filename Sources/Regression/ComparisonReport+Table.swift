import Foundation
import Results

// What people read.
extension ComparisonReport {
    /// The columns of the tables; the first is the metric's name.
    private static let heads = [
        "metric", "base", "new", "change", "interval", "p", "detectable", "threshold", "answer",
    ]

    private static func cells(_ item: MetricComparison) -> [String] {
        let unit = item.metric.unit
        return [
            item.metric.name, unit.text(item.base.median), unit.text(item.new.median),
            ChangeText.change(item.effect.ratio),
            ChangeText.interval(item.effect.low, item.effect.high),
            ChangeText.probability(item.effect.adjustedPValue),
            ChangeText.share(item.effect.minimumDetectableEffect),
            ChangeText.share(item.threshold), item.answer.rawValue,
        ]
    }

    private var sides: [String] {
        [("base", base), ("new", new)].map { label, side in
            let count = side.runs == 1 ? "1 \(unit)" : "\(side.runs) \(unit)s"
            let builds = side.builds.isEmpty ? "" : " · " + side.builds.joined(separator: "; ")
            return ChangeText.printable("\(label): \(side.name) · \(count)\(builds)")
        }
    }

    private var meaning: String {
        let percent = String(format: "%.4g%%", (1 - intervalLevel) * 100)
        return "medians; change is new by base, with its \(percent) interval; p corrected by Holm; "
            + "detectable: seen in 9 series of 10"
    }

    /// The comparison as a table for a terminal or a log.
    ///
    /// - Parameter isTerminal: Whether colours are understood.
    /// - Returns: Lines, each with a newline.
    public func table(isTerminal: Bool) -> String {
        func painted(_ text: String, _ code: String?) -> String {
            guard isTerminal, let code else { return text }
            return "\u{1B}[\(code)m\(text)\u{1B}[0m"
        }
        func code(_ answer: Answer) -> String? {
            switch answer {
            case .worse: "1;31"
            case .better: "32"
            case .same, .inconclusive: nil
            }
        }
        let rows = metrics.map(Self.cells)
        let widths = Self.heads.indices.map { column in
            ([Self.heads] + rows).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            cells.indices.map { column in
                let gap = String(repeating: " ", count: widths[column] - cells[column].count)
                let isText = column == 0 || column == cells.count - 1
                return isText ? cells[column] + (column == 0 ? gap : "") : gap + cells[column]
            }.joined(separator: "  ")
        }
        var lines = [subject] + sides.map { "  " + $0 } + ["", "  " + line(Self.heads)]
        for (item, cells) in zip(metrics, rows) where item.decides {
            lines.append(painted("  " + line(cells), code(item.answer)))
        }
        if metrics.contains(where: { !$0.decides }) { lines += ["", "  for information"] }
        for (item, cells) in zip(metrics, rows) where !item.decides {
            lines.append("  " + line(cells))
        }
        lines += ["", "  " + meaning] + notes.map { "  note: " + $0 }
        let conclusion = conclusion
        lines.append(painted(conclusion[0], answer == .inconclusive ? "1" : code(answer) ?? "1"))
        lines += conclusion.dropFirst().map { "  " + $0 }
        return lines.map { $0 + "\n" }.joined()
    }

    /// The comparison as Markdown, for a comment on a change.
    ///
    /// - Returns: Lines, each with a newline.
    public func markdown() -> String {
        func row(_ cells: [String]) -> String {
            "| " + cells.map(Self.literal).joined(separator: " | ") + " |"
        }
        let conclusion = conclusion
        var lines = ["### pushbench \(command): \(Self.literal(conclusion[0]))", ""]
        lines += ([subject] + sides).map { "- " + Self.literal($0) }
        let kinds = [true, false].filter { kind in metrics.contains { $0.decides == kind } }
        for kind in kinds {
            lines += ["", kind ? "Deciding:" : "For information:", "", row(Self.heads)]
            lines.append("|---|" + String(repeating: "---:|", count: Self.heads.count - 2) + "---|")
            for item in metrics where item.decides == kind {
                var cells = Self.cells(item)
                if kind, [.worse, .better].contains(item.answer) {
                    cells[cells.count - 1] = "**\(item.answer.rawValue)**"
                }
                lines.append("| " + cells.joined(separator: " | ") + " |")
            }
        }
        lines += ["", meaning.prefix(1).uppercased() + meaning.dropFirst() + "."]
        let remarks = conclusion.dropFirst() + notes
        if !remarks.isEmpty { lines += [""] + remarks.map { "- " + Self.literal($0) } }
        return lines.map { $0 + "\n" }.joined()
    }

    /// Text in which nothing is taken for Markdown or HTML: it may quote names of files.
    private static func literal(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            if "\\`*_[]<>|#&".contains(character) { result += "\\" }
            result += character.isNewline ? " " : String(character)
        }
    }
}

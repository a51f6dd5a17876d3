import Foundation
import Results

/// A trend drawn with characters.
public struct TrendPlot {
    /// The columns of the whole plot.
    private let width: Int
    /// Whether it goes to a terminal, with colours and characters beyond ASCII.
    private let isTerminal: Bool
    private static let height = 10

    /// Makes a way to draw.
    ///
    /// - Parameters:
    ///   - width: The columns of the whole plot; too few are made enough.
    ///   - isTerminal: Whether colours and characters beyond ASCII are understood.
    public init(width: Int, isTerminal: Bool) {
        self.width = max(width, 30)
        self.isTerminal = isTerminal
    }

    /// Draws a trend: its name, the plot, and a line for each change point.
    ///
    /// - Parameter trend: The trend.
    /// - Returns: Lines, each with a newline.
    public func text(_ trend: Trend) -> String {
        let direction = trend.metric.isLowerBetter ? "lower is better" : "higher is better"
        let results = trend.points.count == 1 ? "1 result" : "\(trend.points.count) results"
        var lines = [
            strong("\(trend.metric.name)  \(trend.metric.meaning), \(direction), \(results)")
        ]
        let values = trend.points.map(\.value)
        guard let low = values.min(), let high = values.max() else {
            return lines[0] + "\n  no result has it\n"
        }
        let labels = [high, (low + high) / 2, low].map(trend.metric.unit.text)
        let margin = (labels.map(\.count).max() ?? 0) + 2
        let columns = min(width - margin - 2, values.count * 3)
        let grid = grid(trend, columns: columns, low: low, high: high)
        for (row, cells) in grid.enumerated() {
            let label = row == 0 ? labels[0] : row == Self.height / 2 ? labels[1] : ""
            let text = row == Self.height - 1 ? labels[2] : label
            let axis = isTerminal ? "\u{2502}" : "|"
            lines.append(left(text, margin) + axis + cells.joined())
        }
        lines.append(dates(trend, columns: columns, margin: margin))
        lines += trend.changePoints.map { changeLine($0, of: trend) }
        if trend.changePoints.isEmpty { lines.append("  no change point") }
        // A line may end in blanks where the plot has none.
        return lines.map { line in
            String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
        }.joined()
    }

    private func grid(_ trend: Trend, columns: Int, low: Double, high: Double) -> [[String]] {
        let count = trend.points.count
        func column(_ index: Int) -> Int {
            count == 1 ? 0 : index * (columns - 1) / (count - 1)
        }
        var grid = [[String]](
            repeating: [String](repeating: " ", count: columns),
            count: Self.height
        )
        for change in trend.changePoints {
            let place = column(change.index)
            let isGood = trend.isImprovement(change)
            for row in grid.indices {
                grid[row][place] = coloured(isTerminal ? "\u{254E}" : ":", isGood ? "32" : "31")
            }
        }
        var byColumn: [Int: [Double]] = [:]
        for (index, point) in trend.points.enumerated() {
            byColumn[column(index), default: []].append(point.value)
        }
        for (place, values) in byColumn {
            let share = high > low ? (Sorting.median(values) - low) / (high - low) : 0.5
            let row = Int(((1 - share) * Double(Self.height - 1)).rounded())
            grid[row][place] = isTerminal ? "\u{25CF}" : "*"
        }
        return grid
    }

    private func dates(_ trend: Trend, columns: Int, margin: Int) -> String {
        let days = [trend.points.first, trend.points.last].compactMap(\.self).map { point in
            point.startedAt.formatted(.iso8601.year().month().day())
        }
        guard days.count == 2, days[0] != days[1] else {
            return left("", margin + 1) + (days.first ?? "")
        }
        let gap = max(2, columns - days[0].count - days[1].count)
        return left("", margin + 1) + days[0] + String(repeating: " ", count: gap) + days[1]
    }

    private func changeLine(_ change: ChangePoint, of trend: Trend) -> String {
        coloured(
            "  " + ChangeText.printable(trend.sentence(change)),
            trend.isImprovement(change) ? "32" : "1;31"
        )
    }

    private func left(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - 1 - text.count)) + text + " "
    }

    private func strong(_ text: String) -> String { coloured(text, "1") }

    private func coloured(_ text: String, _ code: String) -> String {
        isTerminal ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}

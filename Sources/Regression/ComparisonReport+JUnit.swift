import Results

// What CI servers read.
extension ComparisonReport {
    /// The comparison as JUnit XML, one test case for each metric that decides: a worse one has
    /// failed, an inconclusive one was skipped.
    ///
    /// - Returns: The document with a newline.
    public func junit() -> String {
        let cases = metrics.filter(\.decides)
        let failed = cases.count { $0.answer == .worse && answer == .worse }
        let skipped = cases.count { isSkipped($0) }
        let counts =
            "tests=\"\(cases.count)\" failures=\"\(failed)\" errors=\"0\" skipped=\"\(skipped)\" "
            + "time=\"0\""
        let name = Self.xml("pushbench \(command)")
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites name=\"\(name)\" \(counts)>",
            "  <testsuite name=\"\(name)\" \(counts)>",
        ]
        for item in cases {
            let metric = Self.xml(item.metric.name)
            let place = Self.xml("pushbench.\(workload.dialect).\(workload.hash)")
            let open = "    <testcase classname=\"\(place)\" name=\"\(metric)\" time=\"0\">"
            let text = Self.xml(sentence(item))
            lines.append(open)
            if item.answer == .worse, answer == .worse {
                lines.append(
                    "      <failure type=\"regression\" message=\"\(text)\">\(text)</failure>"
                )
            } else if isSkipped(item) {
                lines.append("      <skipped message=\"\(text)\"/>")
            }
            lines += ["      <system-out>\(text)</system-out>", "    </testcase>"]
        }
        let remarks = ([subject] + conclusion + notes).map(Self.xml)
        lines.append("    <system-out>\(remarks.joined(separator: "\n"))</system-out>")
        lines += ["  </testsuite>", "</testsuites>"]
        return lines.map { $0 + "\n" }.joined()
    }

    /// An alarm that a second series did not repeat is no failure.
    private func isSkipped(_ item: MetricComparison) -> Bool {
        item.answer == .inconclusive || item.answer == .worse && answer != .worse
    }

    private func sentence(_ item: MetricComparison) -> String {
        let unit = item.metric.unit
        return "\(item.metric.name) (\(item.metric.meaning)) is \(item.answer.rawValue): "
            + "\(unit.text(item.base.median)) to \(unit.text(item.new.median)), "
            + "\(ChangeText.change(item.effect.ratio)) "
            + "(\(ChangeText.interval(item.effect.low, item.effect.high))), "
            + "p \(ChangeText.probability(item.effect.adjustedPValue)), "
            + "threshold \(ChangeText.share(item.threshold))"
    }

    /// Text for an element or an attribute; what XML 1.0 cannot hold becomes U+FFFD.
    static func xml(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\t", "\n", "\r": result += " "
            case "\u{0}"..<"\u{20}", "\u{FFFE}", "\u{FFFF}": result += "\u{FFFD}"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}

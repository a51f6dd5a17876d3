/// Finds what was meant by a mistyped name.
enum Spelling {
    /// The known name nearest to `word`, if one is near enough to be meant.
    static func nearest(to word: String, among known: [String]) -> String? {
        let scored = known.map { (name: $0, distance: distance(Array(word), Array($0))) }
        guard let best = scored.min(by: { $0.distance < $1.distance }) else { return nil }
        return best.distance <= max(2, word.count / 3) ? best.name : nil
    }

    /// The fewest insertions, deletions and replacements that turn one word into the other.
    private static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var row = Array(0...b.count)
        for (i, left) in a.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, right) in b.enumerated() {
                let substitution = diagonal + (left == right ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(substitution, row[j] + 1, row[j + 1] + 1)
            }
        }
        return row[b.count]
    }
}

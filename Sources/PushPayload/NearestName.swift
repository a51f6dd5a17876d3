/// Finds the name that somebody probably meant.
package enum NearestName {
    /// The known name nearest to `name`, or nil where none is near.
    ///
    /// Letter case and the separators `-` and `_` do not count; at most two edits, and at most one
    /// in three letters, may be needed.
    package static func find(_ name: String, in known: [String]) -> String? {
        let folded = fold(name)
        guard !folded.isEmpty else { return nil }
        var best: (name: String, distance: Int)?
        for candidate in known {
            let distance = editDistance(folded, fold(candidate))
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        guard let best, best.distance <= min(2, folded.count / 3) else { return nil }
        return best.name
    }

    private static func fold(_ name: String) -> [UInt8] {
        name.utf8.prefix(64).compactMap { byte in
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "_"): nil
            case 0x41...0x5A: byte | 0x20
            default: byte
            }
        }
    }

    /// The insertions, deletions, substitutions and swaps of neighbours between two texts.
    private static func editDistance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforePrevious = [Int](repeating: 0, count: right.count + 1)
        var previous = Array(0...right.count)
        for row in 0..<left.count {
            var current = [row + 1]
            for column in 0..<right.count {
                let isSame = left[row] == right[column]
                var cost = min(
                    previous[column + 1] + 1,
                    current[column] + 1,
                    previous[column] + (isSame ? 0 : 1)
                )
                if row > 0, column > 0, left[row] == right[column - 1],
                    left[row - 1] == right[column]
                {
                    cost = min(cost, beforePrevious[column - 1] + 1)
                }
                current.append(cost)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[right.count]
    }
}

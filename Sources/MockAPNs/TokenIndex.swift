import PushModel

/// Finds installs of a table by their tokens; letters of either case are the same token.
///
/// Open addressing over the tokens' hashes: 5 to 11 bytes an install. Immutable.
struct TokenIndex: Sendable {
    private let installs: InstallTable
    /// Index + 1, or 0 for a free place; the size is a power of two, at most three quarters full.
    private var places: [UInt32]
    /// How many installs have the token of one before them; those are not found.
    private(set) var repeatedTokens = 0

    init(_ installs: InstallTable) {
        self.installs = installs
        var capacity = 16
        while capacity * 3 < (installs.count + 1) * 4 { capacity *= 2 }
        places = [UInt32](repeating: 0, count: capacity)
        for index in 0..<installs.count {
            let record = installs.record(at: index)
            let (place, found) = place(of: record.token)
            if found == nil { places[place] = UInt32(index + 1) } else { repeatedTokens += 1 }
        }
    }

    /// The install with a token of hex digits; nil where there is none.
    func install(withToken token: RawSpan) -> Int? { place(of: token).install }

    /// The token's place, or the free one where it belongs.
    private func place(of token: RawSpan) -> (place: Int, install: Int?) {
        token.withUnsafeBytes { token in
            var place = Int(truncatingIfNeeded: TokenHash.of(token.bytes)) & (places.count - 1)
            while places[place] != 0 {
                let index = Int(places[place]) - 1
                let isSame = installs.record(at: index).token.withUnsafeBytes {
                    Self.isSame($0, token)
                }
                if isSame { return (place, index) }
                place = (place + 1) & (places.count - 1)
            }
            return (place, nil)
        }
    }

    private static func isSame(
        _ one: UnsafeRawBufferPointer,
        _ other: UnsafeRawBufferPointer
    )
        -> Bool
    {
        one.count == other.count && zip(one, other).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }
}

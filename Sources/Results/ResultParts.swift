import FoundationEssentials

/// How much of a stored result is read.
public enum ResultParts: Sendable {
    /// All of it.
    case all
    /// All but histograms and curves, the connections and the points by the second, which are empty:
    /// what lists, comparisons and trends need, at a fraction of the time and memory.
    ///
    /// Percentiles that have no field of their own cannot be told from such a result.
    case numbers

    static let userInfoKey = CodingUserInfoKey(rawValue: "pushbench.parts")

    /// Whether a decoder leaves out what ``numbers`` leaves out.
    static func areOnlyNumbers(_ decoder: any Decoder) -> Bool {
        guard let key = userInfoKey, case .numbers? = decoder.userInfo[key] as? ResultParts else {
            return false
        }
        return true
    }
}

extension LatencySummary {
    /// Reads the summary, its histogram only where all of a result is read.
    ///
    /// - Parameter decoder: Where it stands.
    /// - Throws: What the decoder throws.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        count = try fields.decode(Int64.self, forKey: .count)
        min = try fields.decode(Int64.self, forKey: .min)
        mean = try fields.decode(Int64.self, forKey: .mean)
        p50 = try fields.decode(Int64.self, forKey: .p50)
        p90 = try fields.decode(Int64.self, forKey: .p90)
        p99 = try fields.decode(Int64.self, forKey: .p99)
        p999 = try fields.decode(Int64.self, forKey: .p999)
        p9999 = try fields.decode(Int64.self, forKey: .p9999)
        max = try fields.decode(Int64.self, forKey: .max)
        outOfRange = try fields.decodeIfPresent(Int64.self, forKey: .outOfRange)
        hdr =
            ResultParts.areOnlyNumbers(decoder)
            ? "" : try fields.decode(String.self, forKey: .hdr)
    }
}

// The coding of a record that the compiler makes calls these for its long lists, as they fit
// better than the general ones. So a new field of the record needs nothing here.
extension KeyedDecodingContainer {
    func decode(_ type: [SeriesPoint].Type, forKey key: Key) throws -> [SeriesPoint] {
        try list(forKey: key)
    }

    func decode(_ type: [ConnectionRecord].Type, forKey key: Key) throws -> [ConnectionRecord] {
        try list(forKey: key)
    }

    func decodeIfPresent(_ type: [Int64].Type, forKey key: Key) throws -> [Int64]? {
        guard contains(key), try !decodeNil(forKey: key) else { return nil }
        let decoder = try superDecoder(forKey: key)
        return ResultParts.areOnlyNumbers(decoder) ? nil : try [Int64](from: decoder)
    }

    /// A list, empty where only the numbers of a result are read.
    private func list<Element: Decodable>(forKey key: Key) throws -> [Element] {
        guard contains(key) else {
            throw DecodingError.keyNotFound(
                key,
                DecodingError.Context(codingPath: codingPath, debugDescription: "")
            )
        }
        let decoder = try superDecoder(forKey: key)
        return ResultParts.areOnlyNumbers(decoder) ? [] : try [Element](from: decoder)
    }
}

/// A field in which two results differ.
public struct FieldDifference: Equatable, Sendable {
    /// The field's name.
    public let field: String
    /// The base's value; nil where it is absent.
    public let base: String?
    /// The other's value; nil where it is absent.
    public let new: String?

    /// Describes a difference.
    ///
    /// - Parameters:
    ///   - field: The field's name.
    ///   - base: The base's value.
    ///   - new: The other's value.
    public init(_ field: String, base: String?, new: String?) {
        self.field = field
        self.base = base
        self.new = new
    }

    /// Compares two lists of named values.
    static func between(
        _ base: [(String, String?)],
        _ new: [(String, String?)]
    ) -> [FieldDifference] {
        let values = [base, new].map { fields in
            Dictionary(fields, uniquingKeysWith: { first, _ in first })
        }
        var names: [String] = []
        for (name, _) in base + new where !names.contains(name) { names.append(name) }
        return names.compactMap { name in
            let (before, after) = (values[0][name] ?? nil, values[1][name] ?? nil)
            return before == after ? nil : FieldDifference(name, base: before, new: after)
        }
    }
}

extension FieldDifference: CustomStringConvertible {
    /// For example `streams: 500, not 100`.
    public var description: String { "\(field): \(base ?? "absent"), not \(new ?? "absent")" }
}

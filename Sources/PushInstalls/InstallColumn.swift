/// The columns of an install file that mean something (contract 10.3).
enum InstallColumn: Int, CaseIterable {
    case token
    case language
    case environment
    case badge
    case uid
    case publicKey
    case cipherName
    case id

    /// The column's name in a CSV header, and its key in a JSON object.
    var name: StaticString {
        switch self {
        case .token: "token"
        case .language: "language"
        case .environment: "environment"
        case .badge: "badge"
        case .uid: "uid"
        case .publicKey: "publicKey"
        case .cipherName: "cipherName"
        case .id: "id"
        }
    }

    /// The path of a fault in this column (design 4).
    var path: String { "install." + name.description }

    init?(named bytes: UnsafeRawBufferPointer) {
        let match = Self.allCases.first { column in
            column.name.withUTF8Buffer { $0.elementsEqual(bytes) }
        }
        guard let match else { return nil }
        self = match
    }
}

import PushModel

/// An install as a value, for comparing.
struct Install: Equatable {
    var token: String
    var language = ""
    var environment = APNsEnvironment.production
    var badge: Int64?
    var uid = ""

    init(
        _ token: String,
        _ language: String = "",
        environment: APNsEnvironment = .production,
        badge: Int64? = nil,
        uid: String = ""
    ) {
        self.token = token
        self.language = language
        self.environment = environment
        self.badge = badge
        self.uid = uid
    }

    init(_ record: InstallRecord, in table: InstallTable) {
        token = record.token.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        language = table.languages[Int(record.languageIndex)]
        environment = record.environment
        badge = record.badge
        uid = record.uid.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    static func all(in table: InstallTable) -> [Install] {
        (0..<table.count).map { Install(table.record(at: $0), in: table) }
    }
}

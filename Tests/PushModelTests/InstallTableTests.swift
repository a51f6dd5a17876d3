import PushModel
import Testing

@Suite struct InstallTableTests {
    private static let token64 = String(repeating: "0123456789abcdef", count: 4)

    private func append(
        to table: InstallTable,
        token: String,
        language: String = "",
        environment: APNsEnvironment = .production,
        badge: Int64? = nil,
        uid: String = ""
    ) throws {
        let index = try table.intern(language: language)
        try table.append(
            token: Array(token.utf8).span.bytes,
            languageIndex: index,
            environment: environment,
            badge: badge,
            uid: Array(uid.utf8).span.bytes
        )
    }

    private func text(_ span: RawSpan) -> String {
        span.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    @Test func startsEmptyWithTheLanguageOfNone() {
        let table = InstallTable()
        #expect(table.count == 0)
        #expect(table.languages == [""])
        #expect(table.widestBadge == nil)
        #expect(table.longestUID == 0)
        #expect(table.longestToken == 0)
    }

    @Test(
        arguments: [
            ("ab", "en", APNsEnvironment.production, nil, ""),
            ("ABCD", "", .sandbox, 0, ""),
            (token64, "zh-Hant-TW", .production, nil, "005000000000000001"),
            (token64, "tr-TR", .sandbox, Int64.max, "ü🎉"),
            (String(repeating: "f", count: 400), "de", .production, 3, "u"),
        ] as [(String, String, APNsEnvironment, Int64?, String)]
    )
    func givesBackWhatWasAppended(
        token: String,
        language: String,
        environment: APNsEnvironment,
        badge: Int64?,
        uid: String
    ) throws {
        let table = InstallTable()
        try append(
            to: table,
            token: token,
            language: language,
            environment: environment,
            badge: badge,
            uid: uid
        )
        let record = table.record(at: 0)
        #expect(text(record.token) == token)
        #expect(table.languages[Int(record.languageIndex)] == language)
        #expect(record.environment == environment)
        #expect(record.badge == badge)
        #expect(text(record.uid) == uid)
    }

    @Test func keepsEveryRecordAcrossManyChunks() throws {
        // 160,000 records of 80 bytes and more fill three chunks of 4 MiB.
        let table = InstallTable()
        let prefix = String(repeating: "0", count: 56)
        for number in 0..<160_000 {
            let digits = String(number, radix: 16)
            let token = prefix + String(repeating: "0", count: 8 - digits.count) + digits
            try append(
                to: table,
                token: token,
                language: number.isMultiple(of: 2) ? "en" : "tr",
                badge: number.isMultiple(of: 3) ? Int64(number) : nil,
                uid: number.isMultiple(of: 5) ? "user\(number)" : ""
            )
        }
        #expect(table.count == 160_000)
        #expect(table.byteCount > 3 << 22)
        for number in stride(from: 0, to: 160_000, by: 997) {
            let record = table.record(at: number)
            let digits = String(number, radix: 16)
            #expect(text(record.token).hasSuffix(digits))
            #expect(record.token.byteCount == 64)
            #expect(record.badge == (number.isMultiple(of: 3) ? Int64(number) : nil))
            #expect(text(record.uid) == (number.isMultiple(of: 5) ? "user\(number)" : ""))
            #expect(
                table.languages[Int(record.languageIndex)]
                    == (number.isMultiple(of: 2) ? "en" : "tr")
            )
        }
    }

    @Test func knowsTheWidestValues() throws {
        let table = InstallTable()
        try append(to: table, token: "abcd", badge: 5, uid: "äö")
        try append(to: table, token: "abcdef", badge: 40, uid: "x")
        try append(to: table, token: "ab", badge: 7)
        #expect(table.widestBadge == 40)
        #expect(table.longestUID == 4)
        #expect(table.longestToken == 6)
    }

    @Test func internsEachLanguageOnce() throws {
        let table = InstallTable()
        #expect(try table.intern(language: "en") == 1)
        #expect(try table.intern(language: "EN") == 2)
        #expect(try table.intern(language: "en") == 1)
        #expect(try table.intern(language: "") == 0)
        #expect(table.languages == ["", "en", "EN"])
    }

    @Test func refusesMoreLanguagesThanARecordCanName() throws {
        let table = InstallTable()
        for number in 1...Int(UInt16.max) {
            #expect(try Int(table.intern(language: "x\(number)")) == number)
        }
        #expect(throws: InstallTable.AppendError.tooManyLanguages) {
            try table.intern(language: "one-more")
        }
        #expect(try table.intern(language: "x65535") == UInt16.max)
    }

    @Test func takesFieldsOfTheLongestSizeAndRefusesLongerOnes() throws {
        let table = InstallTable()
        let longest = String(repeating: "a", count: Int(UInt16.max))
        try append(to: table, token: longest, uid: longest)
        #expect(text(table.record(at: 0).uid) == longest)
        #expect(throws: InstallTable.AppendError.fieldTooLong) {
            try append(to: table, token: longest + "a")
        }
        #expect(throws: InstallTable.AppendError.fieldTooLong) {
            try append(to: table, token: "ab", uid: longest + "a")
        }
        #expect(table.count == 1)
    }

    @Test func costsAtMost128BytesAnInstallWithBadgeAndUID() throws {
        let table = InstallTable()
        let count = 200_000
        table.reserve(count: count)
        for _ in 0..<count {
            try append(
                to: table,
                token: Self.token64,
                language: "en",
                badge: 12,
                uid: "005000000000000001"
            )
        }
        #expect(table.byteCount <= count * 128)
    }
}

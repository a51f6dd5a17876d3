import PushInstalls
import PushModel
import TestSupport
import Testing

@Suite struct InstallFileCSVTests {
    private func read(
        _ text: String,
        name: String = "audience.csv",
        isStrict: Bool = false
    ) throws(InstallFileError) -> (installs: [Install], report: InstallFileReport) {
        let file = TemporaryFile(text)
        let table = InstallTable()
        let reader = InstallFileReader(
            descriptor: file.descriptor,
            name: name,
            isStrict: isStrict
        )
        let report = try reader.read(into: table)
        return (Install.all(in: table), report)
    }

    @Test(arguments: [
        "token,language\nab,en\nabcd,tr-TR\n",
        "token,language\r\nab,en\r\nabcd,tr-TR\r\n",
        "token,language\nab,en\nabcd,tr-TR",
        "\u{FEFF}token,language\nab,en\nabcd,tr-TR\n",
        "\n\ntoken,language\n\nab,en\n\r\nabcd,tr-TR\n\n\n",
        "language,token\nen,ab\ntr-TR,abcd\n",
        "\"token\",\"language\"\n\"ab\",\"en\"\nabcd,\"tr-TR\"\n",
        " token ,\tlanguage\nab,en\nabcd,tr-TR\n",
        "name,token,note,language\nAnna,ab,,en\n\"Öz, \"\"Can\"\"\",abcd,\"two\nlines\",tr-TR\n",
        "language,token,note\nen,ab,5\" screen\ntr-TR,abcd,\"\"\n",
    ])
    func readsTheSameInstallsFromEveryWayToWriteThem(text: String) throws {
        let (installs, report) = try read(text)
        #expect(installs == [Install("ab", "en"), Install("abcd", "tr-TR")])
        #expect(report.installs == 2)
        #expect(report.malformed == 0)
        #expect(report.format == .csv)
    }

    @Test func readsEveryColumn() throws {
        let (installs, report) = try read(
            """
            id,token,language,environment,badge,uid,publicKey,cipherName,city
            1,ab,en,production,0,u1,,,Oslo
            2,CD,tr,sandbox,9223372036854775807,"ü""x",\(PublicKeyTexts.rsa2048),RSA_OAEP_SHA256,İzmir
            3,EF,,,,,,,
            """
        )
        #expect(
            installs == [
                Install("ab", "en", badge: 0, uid: "u1"),
                Install("CD", "tr", environment: .sandbox, badge: .max, uid: "ü\"x"),
                Install("EF"),
            ]
        )
        #expect(report.ignoredColumns == ["city"])
        #expect(report.installsWithKey == 1)
    }

    @Test(arguments: [
        ("ab,en,x", InstallFaultCode.invalidCSV, ""),
        ("ab", .invalidCSV, ""),
        (",en", .invalidToken, "install.token"),
        ("abc,en", .invalidToken, "install.token"),
        ("zz,en", .invalidToken, "install.token"),
        (" ab,en", .invalidToken, "install.token"),
        ("<01234567 89abcdef>,en", .invalidToken, "install.token"),
        ("ab,\(String(repeating: "x", count: 256))", .outOfRange, "install.language"),
        ("\"ab\"x,en", .invalidCSV, ""),
        ("ab,\"en", .invalidCSV, ""),
    ])
    func countsAMalformedLineAndGoesOn(line: String, code: InstallFaultCode, path: String) throws {
        let (installs, report) = try read("token,language\n01,en\n\(line)\n02,tr\n03,sv\n")
        #expect(installs.map(\.token) == ["01", "02", "03"])
        #expect(report.malformed == 1)
        #expect(report.malformed(code) == 1)
        let fault = try #require(report.faults.first)
        #expect(fault.line == 3)
        #expect(fault.code == code)
        #expect(fault.path == path)
    }

    @Test(arguments: [
        ("-1", InstallFaultCode.outOfRange), ("-99999999999999999999", .outOfRange),
        ("9223372036854775808", .outOfRange), ("99999999999999999999999999", .outOfRange),
        ("5.0", .wrongType), ("1e3", .wrongType), ("x", .wrongType), ("-", .wrongType),
        (" 5", .wrongType), ("+5", .wrongType), ("٣", .wrongType),
    ])
    func refusesABadBadge(badge: String, code: InstallFaultCode) throws {
        let (installs, report) = try read("token,badge\nab,\(badge)\n")
        #expect(installs.isEmpty)
        #expect(report.faults.map(\.code) == [code])
        #expect(report.faults.map(\.path) == ["install.badge"])
    }

    @Test(arguments: [("0", 0), ("007", 7), ("-0", 0), ("9223372036854775807", Int64.max)])
    func readsABadge(badge: String, value: Int64) throws {
        #expect(try read("token,badge\nab,\(badge)\n").installs == [Install("ab", badge: value)])
    }

    @Test(arguments: ["prod", "Production", "SANDBOX", "development"])
    func refusesAnUnknownEnvironment(environment: String) throws {
        let (installs, report) = try read("token,environment\nab,\(environment)\n")
        #expect(installs.isEmpty)
        #expect(report.malformed(.invalidEnum) == 1)
    }

    @Test func refusesBytesThatAreNotUTF8() throws {
        var bytes = Array("token,language\nab,".utf8)
        bytes += [0xE9] + Array("\ncd,en\nef,".utf8) + [0xED, 0xA0, 0x80] + Array("\n".utf8)
        let file = TemporaryFile(bytes)
        let table = InstallTable()
        let report = try InstallFileReader(descriptor: file.descriptor, name: "x.csv")
            .read(into: table)
        #expect(Install.all(in: table) == [Install("cd", "en")])
        #expect(report.malformed(.invalidUnicode) == 2)
        #expect(report.faults.map(\.line) == [2, 4])
    }

    @Test func aStrayQuoteCostsOneLineOnly() throws {
        let lines = (0..<200).map { "\(String(256 + $0, radix: 16))0,\"en\"" }
        let text = "token,language\n00,\"open\n" + lines.joined(separator: "\n") + "\n"
        let (installs, report) = try read(text)
        #expect(installs.count == 200)
        #expect(report.faults.map(\.line) == [2])
        #expect(report.malformed(.invalidCSV) == 1)
    }

    @Test func numbersLinesAfterAFieldWithLineBreaks() throws {
        let (installs, report) = try read(
            "note,token\n\"one\ntwo\nthree\",ab\nx,bad\n\"a\nb\",cdx\ny,ef\n"
        )
        #expect(installs.map(\.token) == ["ab", "ef"])
        #expect(report.faults.map(\.line) == [5, 6])
    }

    @Test func stepsOverALineOfMoreThanOneMebibyte() throws {
        let limit = 1 << 20
        let longest = "ab," + String(repeating: "x", count: limit - 3)
        let tooLong = "cd," + String(repeating: "x", count: limit - 2)
        let huge = "cd," + String(repeating: "x", count: 3 * limit)
        let (installs, report) = try read(
            "token,note\n\(longest)\n\(tooLong)\nef,\n\(huge)\n01,\n\(longest)"
        )
        #expect(installs.map(\.token) == ["ab", "ef", "01", "ab"])
        #expect(report.faults.map(\.line) == [3, 5])
        #expect(report.malformed(.outOfRange) == 2)
    }

    @Test func endsAtAHugeLineWithoutALineBreak() throws {
        let (installs, report) = try read(
            "token\nab\n" + String(repeating: "x", count: 3 << 20)
        )
        #expect(installs.map(\.token) == ["ab"])
        #expect(report.faults.map(\.line) == [3])
    }

    @Test func keepsTheFirstFaultsAndCountsAll() throws {
        let file = TemporaryFile("token\n" + String(repeating: "bad\n", count: 500))
        let report = try InstallFileReader(
            descriptor: file.descriptor,
            name: "x.csv",
            keptFaults: 7
        ).read(into: InstallTable())
        #expect(report.malformed == 500)
        #expect(report.faults.map(\.line) == Array(2...8))
    }

    @Test func faultsNeverShowTheToken() throws {
        let (_, report) = try read("token\n0123456789abcdex\n0123456789abcde\n")
        #expect(report.faults.count == 2)
        for fault in report.faults { #expect(!fault.description.contains("0123456789")) }
        #expect(report.faults[0].message.contains("character 16"))
        #expect(report.faults[1].message.contains("15 characters"))
    }

    @Test func strictEndsAtTheFirstMalformedLine() {
        let error = #expect(throws: InstallFileError.self) {
            try read("token\nab\nbad\nworse\n", isStrict: true)
        }
        guard case .malformedLine(_, let fault)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(fault.line == 3)
        #expect(fault.code == .invalidToken)
    }

    @Test(arguments: [
        ("Token,language\nab,en\n", "'Token', 'language'"),
        ("token;language\nab;en\n", "not by semicolons"),
        ("token\tlanguage\nab\ten\n", "not by tabs"),
        ("0123456789abcdef\n", "'0123456789abcdef'"),
        (",\nab,en\n", "''"),
    ])
    func namesTheColumnsOfAHeaderWithoutToken(text: String, part: String) {
        let error = #expect(throws: InstallFileError.self) { try read(text) }
        guard case .missingTokenColumn? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains(part) == true)
    }

    @Test func aFileWithoutAHeaderIsNamedSoAndItsTokenIsNot() {
        let token = String(repeating: "0123456789abcdef", count: 4)
        let error = #expect(throws: InstallFileError.missingHeader(name: "audience.csv")) {
            try read("\(token),en\n")
        }
        #expect(error?.description.contains(token) == false)
    }

    @Test func refusesAColumnThatIsThereTwice() {
        #expect(throws: InstallFileError.repeatedColumn(name: "audience.csv", column: "language")) {
            try read("token,language,language\n")
        }
    }

    @Test(arguments: ["", "\n\n\r\n", "\u{FEFF}"])
    func refusesAnEmptyFile(text: String) {
        #expect(throws: InstallFileError.empty(name: "audience.csv")) { try read(text) }
    }

    @Test func takesAHeaderAlone() throws {
        let (installs, report) = try read("token,language\n")
        #expect(installs.isEmpty)
        #expect(report.malformed == 0)
    }

    @Test(arguments: ["\"token\nab\n", "\"token\"x\nab\n"])
    func refusesAMalformedHeader(text: String) {
        let error = #expect(throws: InstallFileError.self) { try read(text) }
        guard case .malformedHeader? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }
}

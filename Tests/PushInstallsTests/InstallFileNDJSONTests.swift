import PushInstalls
import PushModel
import TestSupport
import Testing

@Suite struct InstallFileNDJSONTests {
    private func read(
        _ text: String
    ) throws(InstallFileError) -> (installs: [Install], report: InstallFileReport) {
        let file = TemporaryFile(text)
        let table = InstallTable()
        let report = try InstallFileReader(descriptor: file.descriptor, name: "audience.ndjson")
            .read(into: table)
        return (Install.all(in: table), report)
    }

    @Test(arguments: [
        "{\"token\":\"ab\",\"language\":\"en\"}\n{\"language\":\"tr-TR\",\"token\":\"abcd\"}\n",
        "{\"token\":\"ab\",\"language\":\"en\"}\r\n{\"token\":\"abcd\",\"language\":\"tr-TR\"}",
        "\u{FEFF}\n {\"token\":\"\\u0061b\",\"language\":\"en\"} \n\n"
            + "{\"x\":[{\"token\":1}],\"token\":\"abcd\",\"language\":\"tr\\u002dTR\"}\n \t\n",
    ])
    func readsTheSameInstallsFromEveryWayToWriteThem(text: String) throws {
        let (installs, report) = try read(text)
        #expect(installs == [Install("ab", "en"), Install("abcd", "tr-TR")])
        #expect(report.format == .ndjson)
        #expect(report.malformed == 0)
    }

    @Test func readsEveryField() throws {
        let (installs, report) = try read(
            """
            {"id":"1","token":"ab","language":"en","environment":"production","badge":0,"uid":"u1"}
            {"token":"CD","environment":"sandbox","badge":9223372036854775807,"uid":"ü\\"🎉","publicKey":"\(PublicKeyTexts.rsa2048)"}
            {"token":"EF","language":null,"environment":"","badge":null,"uid":null}
            """
        )
        #expect(
            installs == [
                Install("ab", "en", badge: 0, uid: "u1"),
                Install("CD", environment: .sandbox, badge: .max, uid: "ü\"🎉"),
                Install("EF"),
            ]
        )
        #expect(report.installsWithKey == 1)
    }

    @Test(arguments: [
        ("{}", InstallFaultCode.missingField, "install.token"),
        (#"{"token":null}"#, .missingField, "install.token"),
        (#"{"Token":"ab"}"#, .missingField, "install.token"),
        (#"{"token":12}"#, .wrongType, "install.token"),
        (#"{"token":""}"#, .invalidToken, "install.token"),
        (#"{"token":"abc"}"#, .invalidToken, "install.token"),
        (#"{"token":"{length=32, bytes=0xab}"}"#, .invalidToken, "install.token"),
        (#"{"token":"ab","badge":"3"}"#, .wrongType, "install.badge"),
        (#"{"token":"ab","badge":5.0}"#, .wrongType, "install.badge"),
        (#"{"token":"ab","badge":5e0}"#, .wrongType, "install.badge"),
        (#"{"token":"ab","badge":true}"#, .wrongType, "install.badge"),
        (#"{"token":"ab","badge":-1}"#, .outOfRange, "install.badge"),
        (#"{"token":"ab","badge":99999999999999999999}"#, .outOfRange, "install.badge"),
        (#"{"token":"ab","environment":"dev"}"#, .invalidEnum, "install.environment"),
        (#"{"token":"ab","environment":1}"#, .wrongType, "install.environment"),
        (#"{"token":"ab","language":["en"]}"#, .wrongType, "install.language"),
        (#"{"token":"ab","uid":7}"#, .wrongType, "install.uid"),
        (#"{"token":"ab","id":7}"#, .wrongType, "install.id"),
        (#"{"token":"ab","publicKey":false}"#, .wrongType, "install.publicKey"),
        (#"{"token":"ab","token":"cd"}"#, .duplicateKey, "install.token"),
        (#"{"token":"ab","uid":"\ud83c"}"#, .invalidUnicode, ""),
        (#"{"token":"ab","#, .invalidJSON, ""),
        (#"{"token":“ab”}"#, .invalidJSON, ""),
        (#"{"token":"ab"} {"token":"cd"}"#, .invalidJSON, ""),
        (#"["ab"]"#, .invalidJSON, ""),
        ("ab", .invalidJSON, ""),
        (String(repeating: "[", count: 2_000), .invalidJSON, ""),
    ])
    func countsAMalformedLineAndGoesOn(line: String, code: InstallFaultCode, path: String) throws {
        let (installs, report) = try read("{\"token\":\"01\"}\n\(line)\n{\"token\":\"02\"}\n")
        #expect(installs.map(\.token) == ["01", "02"])
        #expect(report.faults.map(\.line) == [2])
        #expect(report.faults.map(\.code) == [code])
        #expect(report.faults.map(\.path) == [path])
        #expect(report.malformed(code) == 1)
    }

    @Test func refusesBytesThatAreNotUTF8() throws {
        let file = TemporaryFile(
            Array("{\"token\":\"ab\",\"uid\":\"".utf8) + [0xE9] + Array("\"}\n".utf8)
        )
        let report = try InstallFileReader(descriptor: file.descriptor, name: "x.ndjson")
            .read(into: InstallTable())
        #expect(report.malformed(.invalidUnicode) == 1)
    }

    @Test func aSyntaxFaultNamesItsColumnAndWhatBelongsThere() throws {
        let (_, report) = try read("{\"token\":\"ab\" \"language\":\"en\"}\n")
        let fault = try #require(report.faults.first)
        #expect(fault.message.contains("column 15"))
        #expect(fault.message.contains("a comma or }"))
    }

    @Test func stepsOverALineOfMoreThanOneMebibyte() throws {
        let filler = String(repeating: "x", count: 1 << 20)
        let (installs, report) = try read(
            "{\"token\":\"ab\",\"x\":\"\(filler)\"}\n{\"token\":\"cd\"}\n"
        )
        #expect(installs.map(\.token) == ["cd"])
        #expect(report.malformed(.outOfRange) == 1)
    }

    @Test(arguments: ["", "\n \n\r\n", "\u{FEFF}"])
    func refusesAnEmptyFile(text: String) {
        #expect(throws: InstallFileError.empty(name: "audience.ndjson")) { try read(text) }
    }
}

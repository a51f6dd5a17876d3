import PushInstalls
import PushModel
import Testing

@Suite struct InstallObjectTests {
    private func read(_ json: String) throws -> InstallObject {
        try InstallObject(json: Array(json.utf8).span.bytes)
    }

    private func faults(_ json: String) throws -> [InstallFault] {
        try #require(throws: InstallObjectError.self) { try read(json) }.faults
    }

    @Test func readsEveryField() throws {
        let install = try read(
            """
            \u{FEFF}{
              "token": "AB", "language": "tr-TR", "environment": "sandbox", "badge": 0,
              "uid": "u\\u00fc", "publicKey": "\(PublicKeyTexts.rsa2048)", "cipherName": "RSA_OAEP_SHA256",
              "id": "i", "city": {"name": "İzmir"}
            }
            """
        )
        #expect(install.token == "AB")
        #expect(install.language == "tr-TR")
        #expect(install.environment == .sandbox)
        #expect(install.badge == 0)
        #expect(install.uid == "uü")
        #expect(install.publicKey == PublicKeyTexts.rsa2048)
        #expect(install.cipherName == "RSA_OAEP_SHA256")
        #expect(install.id == "i")
    }

    @Test(arguments: [
        #"{"token":"ab"}"#,
        #"{"token":"ab","language":null,"badge":null,"uid":null,"environment":null}"#,
        #"{"token":"ab","language":"","uid":"","publicKey":"","cipherName":"","environment":""}"#,
    ])
    func takesNullAndEmptyAsAbsent(json: String) throws {
        let install = try read(json)
        #expect(install.language == nil)
        #expect(install.environment == .production)
        #expect(install.badge == nil)
        #expect(install.uid == nil)
        #expect(install.publicKey == nil)
        #expect(install.cipherName == nil)
    }

    @Test func collectsEveryFaultInTheOrderOfTheColumns() throws {
        let found = try faults(
            #"{"id":1,"uid":[],"badge":-1,"environment":"x","language":true,"token":"abc"}"#
        )
        #expect(
            found.map(\.path) == [
                "install.token", "install.language", "install.environment", "install.badge",
                "install.uid", "install.id",
            ]
        )
        #expect(
            found.map(\.code) == [
                .invalidToken, .wrongType, .invalidEnum, .outOfRange, .wrongType, .wrongType,
            ]
        )
    }

    @Test func placesASyntaxFault() throws {
        let found = try faults("{\n  \"token\": \"ab\",\n}")
        #expect(found.map(\.code) == [.invalidJSON])
        #expect(found.map(\.path) == [""])
        #expect(found.map(\.line) == [3])
        #expect(found[0].message.contains("at column 1"))
    }
}

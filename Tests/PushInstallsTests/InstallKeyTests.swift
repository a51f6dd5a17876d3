import Glibc
import PushCrypto
import PushInstalls
import PushModel
import TestSupport
import Testing

/// Public keys and ciphers of install files (contract 6.3, 10.3, 11 `c-sf-empty-key`).
@Suite struct InstallKeyTests {
    private static let oaep = WrapPadding.oaepName
    private static let rsa = PublicKeyTexts.rsa2048

    private func read(
        _ text: String,
        name: String
    ) throws(InstallFileError) -> (table: InstallTable, keys: PublicKeyStore, InstallFileReport) {
        let file = TemporaryFile(text)
        let table = InstallTable()
        let keys = PublicKeyStore()
        let reader = InstallFileReader(descriptor: file.descriptor, name: name)
        let report = try reader.read(into: table, keys: keys)
        return (table, keys, report)
    }

    private func keys(of table: InstallTable) -> [SealingKey?] {
        (0..<table.count).map { table.record(at: $0).key }
    }

    @Test func bothFormatsGiveTheSameKeys() throws {
        let csv = """
            token,publicKey,cipherName
            01,\(Self.rsa),\(Self.oaep)
            02,\(Self.rsa),
            03,,
            04,"\(Self.rsa.prefix(64))\n\(Self.rsa.dropFirst(64))",\(Self.oaep)
            05,\(PublicKeyTexts.exponent3.dropLast(2)),\(Self.oaep)
            06,,\(Self.oaep)
            """
        let ndjson = """
            {"token":"01","publicKey":"\(Self.rsa)","cipherName":"\(Self.oaep)"}
            {"token":"02","publicKey":"\(Self.rsa)"}
            {"token":"03","publicKey":"","cipherName":null}
            {"token":"04","publicKey":"\(Self.rsa.prefix(64))\\n\(Self.rsa.dropFirst(64))","cipherName":"\(Self.oaep)"}
            {"token":"05","publicKey":"\(PublicKeyTexts.exponent3)","cipherName":"\(Self.oaep)"}
            {"token":"06","cipherName":"\(Self.oaep)"}
            """
        for (text, name) in [(csv, "a.csv"), (ndjson, "a.ndjson")] {
            let (table, store, report) = try read(text, name: name)
            #expect(report.malformed == 0)
            #expect(report.installsWithKey == 4)
            #expect(table.installsWithKey == 4)
            #expect(store.count == 2)
            #expect(
                keys(of: table) == [
                    SealingKey(index: 0, padding: .oaepSHA256),
                    SealingKey(index: 0, padding: .pkcs1), nil,
                    SealingKey(index: 0, padding: .oaepSHA256),
                    SealingKey(index: 1, padding: .oaepSHA256), nil,
                ]
            )
            // The fields behind the key are where they were.
            #expect(Install.all(in: table).map(\.token) == ["01", "02", "03", "04", "05", "06"])
        }
    }

    private static let malformed: [(String, String, InstallFaultCode, String)] = [
        ("MIIB", "", .invalidPublicKey, "install.publicKey"),
        ("x", oaep, .invalidPublicKey, "install.publicKey"),
        (PublicKeyTexts.p256, oaep, .invalidPublicKey, "install.publicKey"),
        (rsa.replacing("/", with: "_"), "", .invalidPublicKey, "install.publicKey"),
        (rsa, "RSA_OAEP_SHA1", .unsupportedCipher, "install.cipherName"),
        (rsa, "rsa_oaep_sha256", .unsupportedCipher, "install.cipherName"),
        ("", "AES", .unsupportedCipher, "install.cipherName"),
    ]

    @Test(arguments: malformed)
    func aBadKeyOrCipherIsAMalformedLine(
        key: String,
        cipher: String,
        code: InstallFaultCode,
        path: String
    ) throws {
        let csv = "token,publicKey,cipherName\n01,,\n02,\(key),\(cipher)\n03,,\n"
        let ndjson = """
            {"token":"01"}
            {"token":"02","publicKey":"\(key)","cipherName":"\(cipher)"}
            {"token":"03"}
            """
        for (text, name, line) in [(csv, "a.csv", 3), (ndjson, "a.ndjson", 2)] {
            let (table, store, report) = try read(text, name: name)
            #expect(table.count == 2)
            #expect(store.count == 0)
            let fault = try #require(report.faults.first)
            #expect(fault.line == line)
            #expect(fault.code == code)
            #expect(fault.path == path)
            // The fault does not repeat the key.
            #expect(key.count < 5 || !fault.message.contains(key))
        }
    }

    @Test(arguments: [InstallFileFormat.csv, .ndjson], [0, 30, 100])
    func generatedKeysReadBack(format: InstallFileFormat, share: Int) throws {
        let population = SyntheticPopulation(
            count: 2_000,
            seed: 3,
            languages: try LanguageMix("en=60,none=40"),
            hasUIDs: true,
            hasBadges: true
        )
        let shared = SyntheticKeys(
            publicKeys: [PublicKeyTexts.exponent3, PublicKeyTexts.rsa2048],
            pkcs1Share: share
        )
        let file = TemporaryFile()
        var writer = InstallFileWriter(descriptor: file.descriptor, name: "out", format: format)
        try writer.write(population, keys: shared)
        lseek(file.descriptor, 0, SEEK_SET)
        let table = InstallTable()
        let store = PublicKeyStore()
        let report = try InstallFileReader(descriptor: file.descriptor, name: "out").read(
            into: table,
            keys: store
        )
        #expect(report.malformed == 0)
        #expect(store.count == 2)
        let keys = keys(of: table).compactMap(\.self)
        #expect(keys.map { Int($0.index) } == (0..<2_000).map { $0 % 2 })
        let old = keys.count { $0.padding == .pkcs1 }
        #expect(abs(old - 20 * share) < 100)
        let made = InstallTable()
        try population.fill(made)
        #expect(Install.all(in: table) == Install.all(in: made))
        lseek(file.descriptor, 0, SEEK_SET)
        let check = try InstallFileReader(descriptor: file.descriptor, name: "out").check()
        #expect(check.distinctKeys == 2)
        #expect(check.installsWithPKCS1 == old)
    }
}

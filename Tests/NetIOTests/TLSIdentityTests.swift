import Foundation
import PushModel
import Testing

@testable import NetIO

@Suite(.timeLimit(.minutes(5))) struct TLSIdentityTests {
    @Test func aNewIdentityIsAcceptedByEachOfItsNames() throws {
        let names = ["localhost", "push.example.com", "*.example.org", "127.0.0.1", "::1"]
        let identity = try TLSIdentity.selfSigned(names: names)
        let caFile = try TemporaryFile(identity.certificatePEM)
        for name in ["localhost", "push.example.com", "a.example.org", "127.0.0.1", "::1"] {
            let pair = try Loopback.establish(
                clientTLS: .client(.init(caFile: caFile.path)),
                serverTLS: .server(identity: identity),
                serverName: name
            )
            #expect(pair.client.isEstablished)
        }
    }

    @Test(arguments: [
        [], [""], ["a,DNS:evil.example.com"], ["a b"], ["localhost", "a\0b"], ["ü.example.com"],
    ])
    func refusesNamesThatAreNone(names: [String]) {
        let error = #expect(throws: NetIOError.self) { try TLSIdentity.selfSigned(names: names) }
        guard case .openSSL("make a certificate", _) = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
    }

    @Test(arguments: [
        (-30..<(-1), "expired", "renew it"),
        (1..<30, "not yet valid", "check this machine's clock"),
    ])
    func aCertificateOutOfItsTimeIsRefused(days: Range<Int>, reason: String, mend: String) throws {
        let identity = try TLSIdentity.selfSigned(names: ["127.0.0.1"], validDays: days)
        let caFile = try TemporaryFile(identity.certificatePEM)
        let error = #expect(throws: NetIOError.self) {
            try Loopback.establish(
                clientTLS: .client(.init(caFile: caFile.path)),
                serverTLS: .server(identity: identity)
            )
        }
        #expect(error?.description.contains(reason) == true)
        #expect(error?.description.contains(mend) == true)
    }

    // MARK: - PEM files

    @Test func sendsTheChainOfTheCertificateFile() throws {
        let identity = try load(
            certificate: TestIdentities.serverCertificate + "\n" + TestIdentities.intermediate,
            key: TestIdentities.serverKey
        )
        try expectAccepted(identity)
    }

    @Test func aLeafWithoutItsChainIsNotAccepted() throws {
        let identity = try load(
            certificate: TestIdentities.serverCertificate,
            key: TestIdentities.serverKey
        )
        #expect(throws: NetIOError.self) { try expectAccepted(identity) }
    }

    @Test func certificateAndKeyMayShareAFile() throws {
        let both = try TemporaryFile(
            TestIdentities.serverKey + "\n" + TestIdentities.serverCertificate + "\n"
                + TestIdentities.intermediate
        )
        try expectAccepted(.load(certificateFile: both.path, keyFile: both.path))
    }

    @Test func namesTheFaultOfEachFile() throws {
        let certificate = try TemporaryFile(TestIdentities.serverCertificate)
        let key = try TemporaryFile(TestIdentities.serverKey)
        let otherKey = try TemporaryFile(TestIdentities.pushKey)
        let encryptedKey = try TemporaryFile(TestIdentities.encryptedServerKey)
        let empty = try TemporaryFile("")
        let missing = "/nonexistent/key.pem"
        let cases: [(certificate: String, key: String, path: String, reason: String)] = [
            (missing, key.path, missing, "No such file"),
            (certificate.path, missing, missing, "No such file"),
            (empty.path, key.path, empty.path, "no certificate in PEM form"),
            (key.path, key.path, key.path, "no certificate in PEM form"),
            (certificate.path, empty.path, empty.path, "no private key in PEM form"),
            (certificate.path, certificate.path, certificate.path, "no private key"),
            (certificate.path, encryptedKey.path, encryptedKey.path, "encrypted with a password"),
            (certificate.path, otherKey.path, otherKey.path, "not the key of the certificate"),
        ]
        for fault in cases {
            let error = #expect(throws: NetIOError.self) {
                try TLSIdentity.load(certificateFile: fault.certificate, keyFile: fault.key)
            }
            guard case .unusableFile(fault.path, let reason) = error else {
                Issue.record("unexpected: \(String(describing: error))")
                continue
            }
            #expect(reason.contains(fault.reason))
        }
    }

    @Test func namesAFaultyCAFile() throws {
        let empty = try TemporaryFile("")
        for (path, reason) in [(empty.path, "no certificate"), ("/nonexistent", "No such file")] {
            let error = #expect(throws: NetIOError.self) {
                try TLSContext.client(.init(caFile: path))
            }
            #expect(error?.description.contains(path) == true)
            #expect(error?.description.contains(reason) == true)
        }
    }

    /// Certificates, with a block among them that is damaged and would else go missing.
    @Test(arguments: [
        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\n%%%%\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\nAAAA\n",
    ])
    func damagedCertificateOfABundleIsTold(damage: String) throws {
        for (before, number) in [("", 1), (TestIdentities.root + "\n", 2)] {
            let bundle = try TemporaryFile(before + damage)
            let error = #expect(throws: NetIOError.self) {
                try TLSContext.client(.init(caFile: bundle.path))
            }
            #expect(error?.description.contains(bundle.path) == true)
            #expect(error?.description.contains("certificate \(number),") == true)
            #expect(error?.description.contains("damaged") == true)
        }
    }

    @Test func otherBlocksAndTextsBesideCertificatesArePassedOver() throws {
        let list = "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n"
        let text = "A root\n======\n"
        let bundle = try TemporaryFile(
            text + list + TestIdentities.serverKey + "\n" + TestIdentities.encryptedServerKey + "\n"
                + TestIdentities.intermediate + "\n" + list + TestIdentities.root + "\n" + list
                + text
        )
        let identity = try load(
            certificate: TestIdentities.serverCertificate + "\n" + TestIdentities.intermediate,
            key: TestIdentities.serverKey
        )
        let pair = try Loopback.establish(
            clientTLS: .client(.init(caFile: bundle.path)),
            serverTLS: .server(identity: identity),
            serverName: "localhost"
        )
        #expect(pair.client.isEstablished)
    }

    // MARK: - PKCS#12

    @Test(arguments: [TestIdentities.modernPKCS12, TestIdentities.legacyPKCS12])
    func loadsPKCS12WithItsChain(base64: String) throws {
        try expectAccepted(loadPKCS12(base64, password: "secret"))
    }

    @Test func loadsPKCS12WithoutAPassword() throws {
        let identity = try loadPKCS12(TestIdentities.unprotectedPKCS12, password: "")
        #expect(identity.certificatePEM.hasPrefix("-----BEGIN CERTIFICATE-----"))
    }

    @Test(arguments: [
        (TestIdentities.modernPKCS12, "wrong", "password is wrong"),
        (TestIdentities.legacyPKCS12, "", "password is wrong"),
        (TestIdentities.unprotectedPKCS12, "secret", "password is wrong"),
        (TestIdentities.keylessPKCS12, "secret", "export both together"),
        ("", "secret", "not a PKCS#12 file"), ("AAAA", "secret", "not a PKCS#12 file"),
    ])
    func namesTheFaultOfPKCS12(base64: String, password: String, expected: String) {
        let error = #expect(throws: NetIOError.self) {
            try loadPKCS12(base64, password: password)
        }
        guard case .unusableFile(_, let reason) = error else {
            Issue.record("unexpected: \(String(describing: error))")
            return
        }
        #expect(reason.contains(expected))
    }

    // MARK: - Topics

    @Test(arguments: [
        [], [0x30], [0x30, 0x00], [0x30, 0x05, 0x0C, 0x01, 0x61], [0x0C, 0x01, 0x61],
        [0x30, 0x84, 0xFF, 0xFF, 0xFF, 0xFF], [0x30, 0x02, 0x0C, 0x7F], [0x30, 0x80, 0, 0],
    ])
    func findsNoTopicsInBrokenDER(der: [UInt8]) {
        #expect(der.withUnsafeBytes { PeerCertificate.topics(inDER: $0) } == [])
    }

    @Test func readsTopicsOfAnyLength() {
        let long = String(repeating: "a", count: 200)
        let first = [0x0C, 0x81, 200] + Array(long.utf8) + [0x30, 0x05, 0x0C, 0x03, 97, 112, 112]
        let der = [0x30, 0x82, 0, UInt8(first.count)] + first
        #expect(der.withUnsafeBytes { PeerCertificate.topics(inDER: $0) } == [long])
    }

    @Test func readsTopicsOutOfAnyBytes() {
        let member: [UInt8] = [0x0C, 3, 97, 46, 98, 0x30, 0x05, 0x0C, 0x03, 97, 112, 112]
        let whole = [0x30, UInt8(member.count * 2)] + member + member
        var numbers = SplitMix64(seed: 3)
        for _ in 0..<5000 {
            var der = whole
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                let place = Int.random(in: 0..<der.count, using: &numbers)
                der[place] = UInt8.random(in: 0...255, using: &numbers)
            }
            der.removeLast(Int.random(in: 0...3, using: &numbers))
            let topics = der.withUnsafeBytes { PeerCertificate.topics(inDER: $0) }
            #expect(topics.count <= whole.count / 2)
        }
    }

    // MARK: - Helpers

    private func load(certificate: String, key: String) throws -> TLSIdentity {
        let certificateFile = try TemporaryFile(certificate)
        let keyFile = try TemporaryFile(key)
        return try .load(certificateFile: certificateFile.path, keyFile: keyFile.path)
    }

    private func loadPKCS12(_ base64: String, password: String) throws -> TLSIdentity {
        let data = try #require(Data(base64Encoded: base64, options: .ignoreUnknownCharacters))
        let file = try TemporaryFile([UInt8](data))
        return try .load(pkcs12File: file.path, password: password)
    }

    /// A client that trusts the root alone takes the identity for localhost.
    private func expectAccepted(_ identity: TLSIdentity) throws {
        let root = try TemporaryFile(TestIdentities.root)
        let pair = try Loopback.establish(
            clientTLS: .client(.init(caFile: root.path)),
            serverTLS: .server(identity: identity),
            serverName: "localhost"
        )
        #expect(pair.client.isEstablished)
    }
}

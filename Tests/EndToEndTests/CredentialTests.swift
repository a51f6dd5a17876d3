import Foundation
import Testing

/// Keys and certificates from files: what fits is used, what does not is one sentence, and nothing
/// secret is ever printed.
@Suite(.serialized, .timeLimit(.minutes(2)))
struct CredentialTests {
    private static let password = "correct horse battery"

    private func openssl(_ words: String..., in folder: Folder) async throws {
        let outcome = try await Program.tool("openssl", words, in: folder.path).finish()
        try #require(outcome.code == 0, "\(outcome.errors)")
    }

    /// Makes an EC key on P-256 in PKCS#8.
    private func makeKey(_ name: String, in folder: Folder) async throws {
        try await openssl(
            "genpkey",
            "-algorithm",
            "EC",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-out",
            name,
            in: folder
        )
    }

    /// Makes cert.pem, which is its own authority, for key.pem.
    private func makeCertificate(in folder: Folder) async throws {
        try await makeKey("key.pem", in: folder)
        try await openssl(
            "req",
            "-x509",
            "-key",
            "key.pem",
            "-subj",
            "/CN=sender/UID=com.example.app",
            "-days",
            "2",
            "-out",
            "cert.pem",
            in: folder
        )
    }

    private func run(_ flags: [String], in folder: Folder) async throws -> Program.Outcome {
        let words = ["run", "--installs", "30", "--quiet", "--json"]
        let outcome = try await Program.pushbench(words + flags, in: folder.path)
        for secret in try [Self.password] + keyLines(in: folder) {
            #expect(!outcome.errors.contains(secret))
            #expect(!outcome.text.contains(secret))
        }
        return outcome
    }

    /// The lines of all private keys.
    private func keyLines(in folder: Folder) throws -> [String] {
        var lines: [String] = []
        for name in try folder.files() {
            let text = String(decoding: try folder.read(name), as: UTF8.self)
            guard text.contains("PRIVATE KEY") else { continue }
            lines += text.split(separator: "\n").map(String.init).filter {
                $0.count > 20 && !$0.hasPrefix("-")
            }
        }
        return lines
    }

    // MARK: - Provider tokens

    @Test(arguments: [["--key-id", "ABCDE12345"], []])
    func keyIDComesFromTheFlagOrTheFilesName(flags: [String]) async throws {
        let folder = try Folder()
        let name = flags.isEmpty ? "AuthKey_ABCDE12345.p8" : "apns.p8"
        try await makeKey(name, in: folder)
        try await openssl("pkey", "-in", name, "-pubout", "-out", "public.pem", in: folder)
        let outcome = try await run(
            ["--auth-key", name, "--team-id", "TEAMTEAM00", "--mock-option", "auth=public.pem"]
                + flags,
            in: folder
        )
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try outcome.account() == Account(allAccepted: 30))
        #expect(try outcome.json()["workload"]["auth"].string == "token")
    }

    @Test(arguments: [
        "apns.p8", "AuthKey_ABC.p8", "AuthKey_ABCDE1234_.p8", "AuthKey_ABCDE12345.pem",
    ])
    func missingKeyIDIsTold(name: String) async throws {
        let folder = try Folder()
        try await makeKey(name, in: folder)
        expectSentence(
            try await run(["--auth-key", name, "--team-id", "TEAMTEAM00"], in: folder),
            code: 2,
            naming: ["--key-id", name, "AuthKey_KEYID.p8"]
        )
    }

    @Test func unusableTokenKeysAreTold() async throws {
        let folder = try Folder()
        try await makeKey("key.pem", in: folder)
        try await openssl(
            "pkey",
            "-in",
            "key.pem",
            "-aes256",
            "-passout",
            "pass:\(Self.password)",
            "-out",
            "AuthKey_ENCRYPTED1.p8",
            in: folder
        )
        try await openssl(
            "genpkey",
            "-algorithm",
            "RSA",
            "-out",
            "AuthKey_RSARSARSA1.p8",
            in: folder
        )
        try await openssl(
            "pkey",
            "-in",
            "key.pem",
            "-pubout",
            "-out",
            "AuthKey_PUBLICKEY1.p8",
            in: folder
        )
        try folder.write("AuthKey_EMPTYEMPTY.p8", "")
        for (name, words) in [
            ("AuthKey_ENCRYPTED1.p8", ["encrypted with a password", "openssl pkey"]),
            ("AuthKey_RSARSARSA1.p8", ["RSA", "P-256"]),
            ("AuthKey_PUBLICKEY1.p8", ["no private key"]),
            ("AuthKey_EMPTYEMPTY.p8", ["no private key"]),
            ("AuthKey_MISSINGKEY.p8", ["no such file"]),
        ] {
            expectSentence(
                try await run(["--auth-key", name, "--team-id", "TEAMTEAM00"], in: folder),
                code: 3,
                naming: [name] + words
            )
        }
    }

    // MARK: - Certificates

    @Test func certificatesInPEMAndPKCS12AreShown() async throws {
        let folder = try Folder()
        try await makeCertificate(in: folder)
        let both = try folder.read("cert.pem") + folder.read("key.pem")
        try folder.write("both.pem", both)
        try folder.write("password", Self.password + "\n")
        for (name, password) in [("open.p12", ""), ("closed.p12", Self.password)] {
            try await openssl(
                "pkcs12",
                "-export",
                "-in",
                "both.pem",
                "-passout",
                "pass:\(password)",
                "-out",
                name,
                in: folder
            )
        }
        for flags in [
            ["--cert", "cert.pem", "--cert-key", "key.pem"], ["--cert", "both.pem"],
            ["--cert", "open.p12"], ["--cert", "closed.p12", "--cert-password-file", "password"],
        ] {
            let outcome = try await run(
                flags + ["--topic", "com.example.app", "--mock-option", "client-ca=cert.pem"],
                in: folder
            )
            #expect(outcome.code == 0, "\(flags): \(outcome.errors)")
            #expect(try outcome.account() == Account(allAccepted: 30))
            #expect(try outcome.json()["workload"]["auth"].string == "certificate")
        }
    }

    @Test func unusableCertificatesAreTold() async throws {
        let folder = try Folder()
        try await makeCertificate(in: folder)
        try await makeKey("other.pem", in: folder)
        try folder.write("password", Self.password)
        try folder.write("wrong", "not this one")
        try folder.write("text.p12", "no container")
        try await openssl(
            "pkey",
            "-in",
            "key.pem",
            "-aes256",
            "-passout",
            "pass:\(Self.password)",
            "-out",
            "encrypted.pem",
            in: folder
        )
        try await openssl(
            "pkcs12",
            "-export",
            "-in",
            "cert.pem",
            "-inkey",
            "key.pem",
            "-passout",
            "file:password",
            "-out",
            "closed.p12",
            in: folder
        )
        for (flags, words) in [
            (["--cert", "cert.pem", "--cert-key", "other.pem"], ["other.pem", "not the key of"]),
            (["--cert", "cert.pem"], ["cert.pem", "no private key"]),
            (["--cert", "key.pem"], ["key.pem", "no certificate"]),
            (
                ["--cert", "cert.pem", "--cert-key", "encrypted.pem"],
                ["encrypted.pem", "encrypted with a password", "openssl pkey"]
            ),
            (["--cert", "closed.p12"], ["closed.p12", "password is wrong"]),
            (
                ["--cert", "closed.p12", "--cert-password-file", "wrong"],
                ["closed.p12", "password is wrong"]
            ),
            (["--cert", "text.p12"], ["text.p12", "not a PKCS#12 file"]),
            (["--cert", "missing.p12"], ["missing.p12", "no such file"]),
            (
                ["--cert", "closed.p12", "--cert-password-file", "missing"],
                ["missing", "no such file"]
            ),
        ] {
            expectSentence(try await run(flags, in: folder), code: 3, naming: words)
        }
    }

    @Test func certificateOutOfItsTimeIsTold() async throws {
        let folder = try Folder()
        try await makeKey("key.pem", in: folder)
        try folder.write(
            "ca.conf",
            """
            [ca]
            default_ca = this
            [this]
            database = index
            new_certs_dir = .
            serial = serial
            default_md = sha256
            policy = any
            [any]
            commonName = supplied
            """
        )
        try await openssl(
            "req",
            "-new",
            "-key",
            "key.pem",
            "-subj",
            "/CN=sender",
            "-out",
            "request.pem",
            in: folder
        )
        for (start, end, words) in [
            ("20200101000000Z", "20210101000000Z", ["expired on Jan  1 00:00:00 2021"]),
            ("20990101000000Z", "20990201000000Z", ["valid from Jan  1 00:00:00 2099", "clock"]),
        ] {
            try folder.write("index", "")
            try folder.write("serial", "01\n")
            try await openssl(
                "ca",
                "-batch",
                "-selfsign",
                "-config",
                "ca.conf",
                "-keyfile",
                "key.pem",
                "-in",
                "request.pem",
                "-startdate",
                start,
                "-enddate",
                end,
                "-out",
                "cert.pem",
                in: folder
            )
            expectSentence(
                try await run(["--cert", "cert.pem", "--cert-key", "key.pem"], in: folder),
                code: 3,
                naming: ["cert.pem"] + words
            )
        }
    }

    @Test func flagsThatDoNotFitTogetherAreTold() async throws {
        let folder = try Folder()
        try await makeCertificate(in: folder)
        try folder.write("password", Self.password)
        for (flags, words) in [
            (["--cert", "cert.pem", "--auth-key", "key.pem"], ["exclude each other"]),
            (["--cert-key", "key.pem"], ["--cert"]),
            (["--team-id", "TEAMTEAM00"], ["--auth-key"]),
            (["--auth-key", "key.pem"], ["--team-id"]),
            (
                [
                    "--cert", "cert.pem", "--cert-key", "key.pem", "--cert-password-file",
                    "password",
                ],
                [".p12"]
            ),
            (["--cert", "cert.p12", "--cert-key", "key.pem"], ["no such file"]),
            (
                ["--cert", "cert.pem", "--cert-key", "key.pem", "--target", "http://127.0.0.1:9"],
                ["TLS", "https://"]
            ),
        ] {
            let outcome = try await run(flags, in: folder)
            expectSentence(outcome, code: words == ["no such file"] ? 3 : 2, naming: words)
        }
    }
}

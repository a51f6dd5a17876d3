import PushCrypto
import PushPayload
import Results

/// `pushbench decode`: what the device would read from a body.
enum DecodeCommand {
    static let spec = CommandSpec(
        name: "decode",
        summary: "Prints what a device would read from the body on stdin, as one JSON object.",
        flags: [
            .init(
                name: "dialect",
                value: "D",
                help: "The SDK that reads: "
                    + Dialect.allCases.map(\.rawValue).joined(separator: ", ") + "."
            ),
            .init(
                name: "private-key",
                value: "FILE",
                help: "The device's private key for encrypted bodies of salesforce: PEM, PKCS#8 "
                    + "or PKCS#1, not encrypted; of several the one that fits is used."
            ),
            .init(name: "json", value: nil, help: "The output is JSON with or without it."),
        ],
        notes: "A body that the SDK refuses: exit code 3, and on stderr one JSON object with its "
            + "code."
    )

    static func run(_ arguments: Arguments) throws -> ExitCode {
        guard let dialect = try arguments.choice("dialect", of: Dialect.self) else {
            throw UsageError("decode needs --dialect: say which SDK reads the body.")
        }
        do {
            let opener = try arguments["private-key"].map { try self.opener($0) }
            let body = try InputFile.bytes("-", what: "body")
            let reading = try PayloadReader(dialect: dialect, opener: opener).read(body)
            Terminal.print(reading.json)
            return .done
        } catch let refusal as PayloadRefusal {
            Terminal.complain(refusal.jsonLine)
            return .invalidInput
        }
    }

    /// Reads the private keys of a file; without one the SDK has none either.
    private static func opener(_ path: String) throws -> ContentOpener {
        try InputFile.awaitContent(path, what: "private key file")
        do {
            return try ContentOpener(file: path)
        } catch {
            throw PayloadRefusal(
                code: String(OpenFailure.noPrivateKey.code),
                path: OpenFailure.noPrivateKey.path,
                message: error.description
            )
        }
    }
}

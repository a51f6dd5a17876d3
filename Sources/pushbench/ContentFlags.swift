import MockAPNs
import PushCrypto
import PushModel
import PushPayload
import Results

/// The mock's flags about contents, and the check that they ask for.
enum ContentFlags {
    private static let names = ["private-keys", "dialect", "expect"]

    /// Looks the flags over, without reading what takes long.
    static func validate(_ arguments: Arguments, level: VerificationLevel) throws {
        guard level == .content else {
            guard let name = names.first(where: { arguments.has($0) }) else { return }
            throw UsageError("--\(name) is for looking into bodies: give --verify content too.")
        }
        if arguments.has("dialect"), arguments.has("expect") {
            throw UsageError("--dialect says what --expect says already: give one.")
        }
        _ = try arguments.choice("dialect", of: Dialect.self)
        try InputFile.check(arguments["private-keys"], what: "private keys file")
        try InputFile.check(arguments["expect"], what: "expectation file")
    }

    /// Makes the check; nil where none was asked for.
    static func check(_ arguments: Arguments) throws -> ContentCheck? {
        let level = try arguments.choice("verify", of: VerificationLevel.self)
        guard level == .content else { return nil }
        let opener: ContentOpener?
        do throws(CryptoError) {
            opener =
                if let file = arguments["private-keys"] {
                    try ContentOpener(file: file)
                } else { nil }
        } catch { throw CommandFault(.invalidInput, error.description) }
        return ContentCheck(
            dialect: try arguments.choice("dialect", of: Dialect.self),
            opener: opener,
            expectation: try arguments["expect"].map { try expectation($0, opener) }
        )
    }

    /// What a scenario's installs should get.
    private static func expectation(
        _ path: String,
        _ opener: ContentOpener?
    ) throws -> ContentExpectation {
        var arguments = try Arguments([], for: RunCommand.spec)
        let scenario = try Scenario(path, into: &arguments, spec: RunCommand.spec)
        let options = try RunOptions(arguments)
        let source = try Message.source(arguments, inline: scenario.message)
        let audience = try Audience(
            arguments,
            seed: options.seed,
            needsUIDs: source.dialect?.needsInstallUID ?? false
        )
        let payload = try Message.compile(source, for: audience.table, isQuiet: options.isQuiet)
        do {
            return try ContentExpectation(
                payload: payload,
                installs: audience.table,
                keys: audience.keys,
                opener: opener,
                arrivesOnce: options.sendsOnce(toInstalls: audience.table.count)
            )
        } catch { throw CommandFault(.invalidInput, error.description) }
    }
}

import Foundation
import PushCrypto
import PushInstalls
import PushModel
import Results

/// `pushbench installs generate|check`: audiences as files.
enum InstallsCommand {
    static let generateSpec = CommandSpec(
        name: "installs generate",
        summary: "Writes a synthetic audience, the same for the same seed, as CSV or NDJSON.",
        flags: [
            .init(name: "count", value: "N", help: "Installs (default 200000)."),
            .init(
                name: "languages",
                value: "MIX",
                help: "Language mix, for example en=60,tr=20,de-DE=15; none=5 for no language."
            ),
            .init(name: "seed", value: "S", help: "Seed (default 1)."),
            .init(name: "format", value: "F", help: "csv (default) or ndjson."),
            .init(name: "uids", value: nil, help: "Give each install a user id."),
            .init(name: "badges", value: nil, help: "Give each install a badge."),
            .init(
                name: "keys",
                value: "N",
                help: "Make N RSA-2048 keys and give each install one of them in turn."
            ),
            .init(
                name: "private-keys",
                value: "FILE",
                help: "Write the private keys there (PEM, mode 0600); needed with --keys."
            ),
            .init(
                name: "pkcs1-share",
                value: "P",
                help: "Percent of installs with a key but no cipher name, PKCS#1 v1.5 (default 10)."
            ),
            .init(name: "out", value: "FILE", help: "Write there instead of to stdout (-)."),
        ]
    )

    static let checkSpec = CommandSpec(
        name: "installs check",
        summary: "Reads an install file and tells what is in it and what is wrong with it.",
        positionals: ["FILE"],
        flags: [
            .init(
                name: "strict",
                value: nil,
                help: "A malformed line or a token that comes twice is an error: exit code 3."
            ),
            .init(name: "json", value: nil, help: "Print one JSON document."),
        ],
        notes: "FILE may be - for standard input. CSV needs a header line with the column token."
    )

    static func generate(_ arguments: Arguments) throws -> ExitCode {
        let format =
            try arguments.choice("format", of: InstallFileFormat.self)
            ?? arguments["out"].flatMap(InstallFileFormat.named(by:)) ?? .csv
        let population = SyntheticPopulation(
            count: try arguments.integer("count", in: 1...1_000_000_000) ?? 200_000,
            seed: UInt64(try arguments.integer("seed", in: 0...Int.max) ?? 1),
            languages: try Audience.languages(arguments["languages"]),
            hasUIDs: arguments.has("uids"),
            hasBadges: arguments.has("badges")
        )
        let audience = SyntheticAudience(
            population: population,
            keys: try makeKeys(arguments, installs: population.count)
        )
        do throws(InstallFileError) {
            // By its descriptor: opened by name, a file behind it would be replaced.
            if let path = arguments["out"], !Terminal.isStandardOutput(path) {
                try write(audience, toFile: path, format)
            } else {
                try writeToStandardOutput(audience, format)
            }
        } catch {
            throw CommandFault(.runFailed, "\(error); choose a place that you may write to.")
        }
        return .done
    }

    /// What is written: the installs, and the keys that they share.
    private struct SyntheticAudience {
        let population: SyntheticPopulation
        let keys: SyntheticKeys?
    }

    /// Makes the keys that the flags ask for, and keeps their private halves in a file.
    private static func makeKeys(_ arguments: Arguments, installs: Int) throws -> SyntheticKeys? {
        let share = try arguments.integer("pkcs1-share", in: 0...100)
        guard let count = try arguments.integer("keys", in: 1...1_000_000) else {
            for flag in ["private-keys", "pkcs1-share"] where arguments.has(flag) {
                throw UsageError("--\(flag) goes with --keys: give the number of keys too.")
            }
            return nil
        }
        guard let path = arguments["private-keys"], !Terminal.isStandardOutput(path) else {
            throw UsageError(
                "--keys needs --private-keys FILE: without the private keys nothing can be read."
            )
        }
        guard count <= installs else {
            throw UsageError("--keys \(count) is more than the \(installs) installs: give fewer.")
        }
        let pairs = try KeyPairMaker.makePairs(count)
        try KeyPairMaker.writePrivateKeys(of: pairs, to: path)
        let sharing = count == installs ? "one for each install" : "the installs share them in turn"
        Terminal.complain(
            "pushbench: \(count) distinct \(count == 1 ? "key" : "keys") for \(installs) installs, "
                + "\(sharing); the private keys are in \(path)."
        )
        return SyntheticKeys(publicKeys: pairs.map(\.publicKeyBase64), pkcs1Share: share ?? 10)
    }

    private static func writeToStandardOutput(
        _ audience: SyntheticAudience,
        _ format: InstallFileFormat
    ) throws(InstallFileError) {
        let name = "stdout"
        do throws(InstallFileError) {
            try write(audience, to: STDOUT_FILENO, name: name, format)
        } catch {
            // `| head` has seen enough: no fault.
            if error != .cannotWrite(name: name, errorNumber: EPIPE) { throw error }
        }
    }

    /// Writes beside `path` and renames, so that no half file stands under the name.
    ///
    /// A symbolic link is followed; a pipe or device is written in place, not replaced by a file.
    private static func write(
        _ audience: SyntheticAudience,
        toFile name: String,
        _ format: InstallFileFormat
    ) throws(InstallFileError) {
        let path = resolved(name)
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            let descriptor = open(path, O_WRONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw .cannotWrite(name: name, errorNumber: errno) }
            defer { close(descriptor) }
            return try write(audience, to: descriptor, name: name, format)
        }
        let draft = path + ".part"
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw .cannotWrite(name: name, errorNumber: errno) }
        defer { close(descriptor) }
        do throws(InstallFileError) {
            try write(audience, to: descriptor, name: name, format)
        } catch {
            unlink(draft)
            throw error
        }
        guard rename(draft, path) == 0 else {
            let number = errno
            unlink(draft)
            throw .cannotWrite(name: name, errorNumber: number)
        }
    }

    /// What a symbolic link leads to; `path` itself where it leads nowhere yet.
    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private static func write(
        _ audience: SyntheticAudience,
        to descriptor: Int32,
        name: String,
        _ format: InstallFileFormat
    ) throws(InstallFileError) {
        var writer = InstallFileWriter(descriptor: descriptor, name: name, format: format)
        try writer.write(audience.population, keys: audience.keys)
    }

    static func check(_ arguments: Arguments) throws -> ExitCode {
        guard let path = arguments.positionals.first else {
            throw UsageError("installs check needs a file: pushbench installs check FILE.")
        }
        try InputFile.awaitContent(path, what: "installs file")
        let reader =
            path == "-"
            ? InstallFileReader(descriptor: STDIN_FILENO, name: "stdin")
            : try InstallFileReader(path: path)
        let check = try reader.check()
        if arguments.has("json") {
            Terminal.print(try ReadableJSON.encode(CheckDocument(check)))
        } else {
            Terminal.print(check.summaryLines().joined(separator: "\n"))
        }
        return arguments.has("strict") && !check.isClean ? .invalidInput : .done
    }

    /// The JSON form of a check.
    private struct CheckDocument: Encodable {
        struct Fault: Encodable {
            let line: Int
            let code: String
            let path: String
            let message: String
        }

        let name: String
        let format: String
        let installs: Int
        let malformed: Int
        let malformedByCode: [String: Int]
        let faults: [Fault]
        let duplicateTokens: Int
        let duplicateLines: [Int]
        let languages: [String: Int]
        let tokenLengths: [String: Int]
        let sandboxInstalls: Int
        let installsWithBadge: Int
        let installsWithUID: Int
        let installsWithKey: Int
        let distinctKeys: Int
        let installsWithPKCS1: Int
        let ignoredColumns: [String]

        init(_ check: InstallCheck) {
            let report = check.report
            name = check.name
            format = report.format.rawValue
            installs = report.installs
            malformed = report.malformed
            malformedByCode = Dictionary(
                uniqueKeysWithValues: InstallFaultCode.allCases.compactMap { code in
                    let count = report.malformed(code)
                    return count == 0 ? nil : (code.rawValue, count)
                }
            )
            faults = report.faults.map {
                Fault(line: $0.line, code: $0.code.rawValue, path: $0.path, message: $0.message)
            }
            duplicateTokens = check.duplicateTokens
            duplicateLines = check.duplicateLines
            languages = Dictionary(
                check.languages.map { ($0.language, $0.installs) },
                uniquingKeysWith: +
            )
            tokenLengths = Dictionary(
                check.tokenLengths.map { (String($0.digits), $0.installs) },
                uniquingKeysWith: +
            )
            sandboxInstalls = check.sandboxInstalls
            installsWithBadge = check.installsWithBadge
            installsWithUID = check.installsWithUID
            installsWithKey = report.installsWithKey
            distinctKeys = check.distinctKeys
            installsWithPKCS1 = check.installsWithPKCS1
            ignoredColumns = report.ignoredColumns
        }
    }
}

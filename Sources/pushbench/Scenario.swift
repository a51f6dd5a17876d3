import Foundation
import PushPayload
import Results

/// A scenario file: a message, and the flags of `run` that it goes out with.
struct Scenario {
    /// The message as JSON text; nil where the file names a message file, now a flag's default.
    let message: [UInt8]?
    /// Its name, for the result.
    let name: String?

    /// Reads `path` and gives `arguments` what it says, unless they have it.
    ///
    /// - Throws: A ``CommandFault`` with exit code 3, one JSON line a fault.
    init(_ path: String, into arguments: inout Arguments, spec: CommandSpec) throws {
        let bytes = try InputFile.bytes(path, what: "scenario file")
        let object: JSONObject
        switch JSONDocument.parse(bytes) {
        case .faults(let faults):
            throw CommandFault(.invalidInput, lines: faults.map(\.jsonLine))
        case .value(.object(let found)): object = found
        case .value:
            throw Self.fault(.wrongType, "", "The scenario \(path) must be one JSON object.")
        }
        let given = arguments
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        var message: [UInt8]?
        var name: String?
        for member in object.members {
            switch (member.key, member.value) {
            case ("name", .string(let text)): name = text
            case ("description", .string): break
            case ("message", .object):
                message = member.value.jsonBytes
            case ("name", _), ("description", _):
                throw Self.fault(.wrongType, member.key, "\(member.key) must be a string.")
            case ("message", let value) where !value.isString:
                throw Self.fault(
                    .wrongType,
                    "message",
                    "message must be the message, an object, or the path of its file."
                )
            default:
                guard let flag = spec.flags.first(where: { Self.key(of: $0) == member.key }) else {
                    throw Self.unknown(member.key, spec)
                }
                let values = try Self.values(of: member, for: flag, folder: folder)
                if let values, !Self.isOverruled(flag.name, by: given) {
                    arguments.setDefault(flag.name, to: values)
                }
            }
        }
        if message == nil, arguments["message"] == nil, !given.has("dialect") {
            throw Self.fault(
                .missingField,
                "message",
                "message is missing: write the message or its file."
            )
        }
        self.message = message
        self.name = name
    }

    /// Whether a flag on the command line takes the sense from what the file says of another one.
    private static func isOverruled(_ name: String, by given: Arguments) -> Bool {
        switch name {
        case "message": given.has("dialect")
        case "dialect": given.has("message")
        case "pushes": given.has("duration")
        case "duration": given.has("pushes")
        case "languages": given["installs"].map { Int($0) == nil } ?? false
        case "mock-option": given["target"].map { $0 != "mock" } ?? false
        case "sandbox-target": given.has("target")
        case "auth-key", "key-id", "team-id", "token-lifetime": given.has("cert")
        case "cert", "cert-key", "cert-password-file": given.has("auth-key")
        default: false
        }
    }

    /// A flag's name in camelCase.
    private static func key(of flag: CommandSpec.Flag) -> String {
        let words = flag.name.split(separator: "-")
        return words.prefix(1).joined() + words.dropFirst().map(\.capitalized).joined()
    }

    /// Flags whose values are paths, which a scenario writes from its own folder.
    private static let pathFlags: Set = [
        "message", "auth-key", "cert", "cert-key", "cert-password-file", "cacert", "out",
        "journal", "rejected-out",
    ]

    private static func values(
        of member: JSONObject.Member,
        for flag: CommandSpec.Flag,
        folder: String
    ) throws -> [String]? {
        func text(_ value: JSONValue) -> String? {
            switch value {
            case .string(let text): text
            case .number:
                String(decoding: value.jsonBytes, as: UTF8.self)
            default: nil
            }
        }
        let found: [String]?
        switch member.value {
        case .bool(let isOn) where flag.value == nil: return isOn ? [""] : nil
        case .array(let elements) where flag.isRepeatable:
            let texts = elements.compactMap(text)
            found = texts.count == elements.count ? texts : nil
        default: found = flag.value == nil ? nil : text(member.value).map { [$0] }
        }
        guard let found else {
            let wanted =
                flag.value == nil
                ? "true or false" : flag.isRepeatable ? "a list of strings" : "a string or number"
            throw fault(.wrongType, member.key, "\(member.key) must be \(wanted).")
        }
        let isPath =
            pathFlags.contains(flag.name) || (flag.name == "installs" && Int(found[0]) == nil)
        guard isPath else { return found }
        return found.map { $0.hasPrefix("/") ? $0 : "\(folder)/\($0)" }
    }

    private static func unknown(_ key: String, _ spec: CommandSpec) -> CommandFault {
        let known = ["name", "description", "message"] + spec.flags.map(Self.key)
        let nearest = NearestName.find(key, in: known)
        return fault(
            .unknownField,
            key,
            "\(key) is no key of a scenario"
                + (nearest.map { ": did you mean \($0)?" } ?? ": see pushbench run --help.")
        )
    }

    private static func fault(
        _ code: PayloadFaultCode,
        _ path: String,
        _ message: String
    ) -> CommandFault {
        CommandFault(
            .invalidInput,
            lines: [PayloadFault(code: code, path: path, message: message).jsonLine]
        )
    }
}

extension JSONValue {
    fileprivate var isString: Bool {
        if case .string = self { true } else { false }
    }

    /// The value as JSON text.
    fileprivate var jsonBytes: [UInt8] {
        var bytes: [UInt8] = []
        JSONText.append(self, to: &bytes)
        return bytes
    }
}

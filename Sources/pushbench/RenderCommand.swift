import PushPayload
import Results

/// `pushbench render`: the exact bytes one install would get.
enum RenderCommand {
    static let spec = CommandSpec(
        name: "render",
        summary: "Prints the exact body that one install would get, without a newline.",
        flags: [
            .init(name: "message", value: "FILE", help: "Message file, JSON or .apns; - is stdin."),
            .init(
                name: "dialect",
                value: "D",
                help: "Render the built-in sample message of a dialect (without --message)."
            ),
            .init(
                name: "language",
                value: "L",
                help: "The device's language; beats the install's; may be empty.",
                mayBeEmpty: true
            ),
            .init(
                name: "install",
                value: "FILE",
                help: "The install: a JSON object with token, language, badge, uid and so on."
            ),
            .init(
                name: "option",
                value: "K=V",
                help: "An option of the dialect.",
                isRepeatable: true
            ),
            .init(
                name: "topic",
                value: "B",
                help: "Bundle id; the push type's suffix is added."
            ),
            .init(name: "strict", value: nil, help: "Warnings are errors."),
            .init(
                name: "json",
                value: nil,
                help: "Print one JSON document: dialect, language, bytes, body, headers, warnings."
            ),
        ],
        notes: "Faults: exit code 3, and on stderr one JSON object a line. Warnings: the same, 0."
    )

    static func run(_ arguments: Arguments) throws -> ExitCode {
        let source = try Message.source(arguments)
        let install = try arguments["install"].map {
            try Message.fileBytes($0, what: "install file", faultPath: "install")
        }
        let rendering = source.render(install: install, language: arguments["language"])
        for fault in rendering.faults { Terminal.complain(fault.jsonLine) }
        guard let result = rendering.result else { return .invalidInput }
        if arguments.has("json") {
            Terminal.print(result.json(warnings: rendering.warnings))
        } else {
            Terminal.write(result.body)
        }
        return .done
    }
}

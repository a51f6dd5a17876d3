import NetIO
import PushInstalls
import PushPayload
import Regression
import Results

/// The program: finds the command, runs it, turns its errors into sentences and exit codes.
enum Pushbench {
    static let version = "0.1.0"

    /// A command: what it takes, and what it does.
    private struct Command: Sendable {
        let spec: CommandSpec
        let body: @Sendable (Arguments) throws -> ExitCode
    }

    private static let commands = [
        Command(spec: RunCommand.spec, body: RunCommand.run),
        Command(spec: MockCommand.spec, body: MockCommand.run),
        Command(spec: RenderCommand.spec, body: RenderCommand.run),
        Command(spec: DecodeCommand.spec, body: DecodeCommand.run),
        Command(spec: ReportCommand.spec, body: ReportCommand.run),
        Command(spec: InstallsCommand.generateSpec, body: InstallsCommand.generate),
        Command(spec: InstallsCommand.checkSpec, body: InstallsCommand.check),
        Command(spec: CompareCommand.spec, body: CompareCommand.run),
        Command(spec: AbCommand.spec, body: AbCommand.run),
        Command(spec: ResultsCommand.listSpec, body: ResultsCommand.list),
        Command(spec: ResultsCommand.showSpec, body: ResultsCommand.show),
        Command(spec: ResultsCommand.trendSpec, body: ResultsCommand.trend),
        Command(spec: ResultsCommand.exportSpec, body: ResultsCommand.export),
    ]

    /// Runs the command that `words` name.
    static func main(_ words: [String]) -> ExitCode {
        do {
            return try dispatch(words)
        } catch let fault as CommandFault {
            for line in fault.lines { Terminal.complain(line) }
            return fault.code
        } catch let error as UsageError {
            Terminal.complain("pushbench: \(error)")
            return .usage
        } catch let error as LanguageMixError {
            Terminal.complain("pushbench: \(error)")
            return .usage
        } catch let error as PayloadOptionError {
            Terminal.complain("pushbench: \(error)")
            return .usage
        } catch let error as ObjectiveError {
            Terminal.complain("pushbench: \(error)")
            return .usage
        } catch let error as RegressionError {
            Terminal.complain("pushbench: \(error)")
            return error.isOfTheData ? .invalidInput : .usage
        } catch let error as InstallFileError {
            Terminal.complain("pushbench: \(error)")
            return .invalidInput
        } catch {
            Terminal.complain("pushbench: \(error)")
            return .runFailed
        }
    }

    private static func dispatch(_ words: [String]) throws -> ExitCode {
        guard let first = words.first else {
            for line in overview.split(separator: "\n", omittingEmptySubsequences: false) {
                Terminal.complain(String(line))
            }
            return .usage
        }
        if ["--help", "-h", "help"].contains(first) {
            Terminal.print(overview)
            return .done
        }
        if first == "--version" {
            Terminal.print("pushbench \(version)")
            return .done
        }
        for command in commands {
            let name = command.spec.name.split(separator: " ").map(String.init)
            guard words.starts(with: name) else { continue }
            let arguments = try Arguments(words.dropFirst(name.count), for: command.spec)
            if arguments.wantsHelp {
                Terminal.print(command.spec.help, terminator: "")
                return .done
            }
            return try command.body(arguments)
        }
        let group = commands.map(\.spec.name).filter { $0.hasPrefix(first + " ") }
        if !group.isEmpty {
            if let second = words.dropFirst().first, ["--help", "-h"].contains(second) {
                Terminal.print(overview)
                return .done
            }
            throw UsageError("\(first) needs one more word: \(group.joined(separator: " or ")).")
        }
        let nearest = NearestName.find(first, in: commands.map(\.spec.name))
        throw UsageError(
            "Unknown command \(first)"
                + (nearest.map { ": did you mean \($0)?" } ?? ": see pushbench --help.")
        )
    }

    private static var overview: String {
        let width = commands.map(\.spec.name.count).max() ?? 0
        let lines = commands.map { command in
            let padding = String(repeating: " ", count: width - command.spec.name.count + 2)
            return "  \(command.spec.name)\(padding)\(command.spec.summary)"
        }
        return
            (["usage: pushbench COMMAND [flags]", ""] + lines + [
                "", "pushbench COMMAND --help tells a command's flags; --version the version.",
            ]).joined(separator: "\n")
    }
}

/// What ends a command early: the lines for stderr and the exit code.
struct CommandFault: Error {
    let code: ExitCode
    let lines: [String]

    init(_ code: ExitCode, _ line: String) {
        self.code = code
        lines = ["pushbench: " + line]
    }

    init(_ code: ExitCode, lines: [String]) {
        self.code = code
        self.lines = lines
    }
}

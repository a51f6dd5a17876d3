import Foundation
import PushModel
import PushPayload
import Results

/// What a run tells its embedded mock about contents: the run as a scenario, for `--expect`.
struct MockExpectation {
    private let plan: RunPlan
    private let installs: String

    /// How long the mock may take to load the audience, in seconds.
    var secondsToLoad: Int { Int(Audience.secondsToLoad(plan.audience.table.count)) }

    /// Prepares what the mock should expect; nil where it does not look into bodies, or was given
    /// an expectation of its own.
    init?(of plan: RunPlan, mockWords: [String]) throws(UsageError) {
        guard let installs = try Self.installs(plan.arguments, mockWords: mockWords) else {
            return nil
        }
        self.plan = plan
        self.installs = installs
    }

    /// The audience as the mock reads it once more; nil where it does not.
    ///
    /// - Throws: ``UsageError`` where it can be read once only.
    static func installs(
        _ arguments: Arguments,
        mockWords: [String]
    ) throws(UsageError) -> String? {
        let words = try Arguments(mockWords, for: MockCommand.spec)
        guard words["verify"] == "content", !words.has("expect"), !words.has("dialect") else {
            return nil
        }
        let installs = arguments["installs"] ?? String(Audience.defaultCount)
        return Int(installs) == nil ? try wholePath(ofInstalls: installs) : installs
    }

    /// Writes the scenario and the message beside it.
    ///
    /// - Returns: The scenario's path.
    func write(to folder: String) throws -> String {
        let message = plan.source.isSimulatorFile ? "message.apns" : "message.json"
        var members: [JSONObject.Member] = []
        func add(_ key: String, _ value: JSONValue?) {
            if let value { members.append(.init(key: key, value: value)) }
        }
        add("message", .string(message))
        add("installs", .string(installs))
        add("quiet", .bool(true))
        for name in ["languages", "seed", "topic", "shard", "pushes", "duration", "repeat"] {
            add(name, plan.arguments[name].map { .string($0) })
        }
        let options = plan.arguments.all("option").map { JSONValue.string($0) }
        if !options.isEmpty { add("option", .array(options)) }
        if plan.arguments.has("strict") { add("strict", .bool(true)) }
        var scenario: [UInt8] = []
        JSONText.append(.object(JSONObject(members)), to: &scenario)
        let path = folder + "/expectation.json"
        try Data(plan.source.bytes).write(to: URL(fileURLWithPath: folder + "/" + message))
        try Data(scenario).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// The path of an installs file from the root; it is read a second time, so a pipe will not do.
    private static func wholePath(ofInstalls path: String) throws(UsageError) -> String {
        var status = stat()
        // A file that is not there gets its own sentence where it is opened.
        guard path == "-" || (stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFREG)
        else { return URL(fileURLWithPath: path).path }
        throw UsageError(
            "verify=content reads the installs a second time: give --installs a file instead "
                + "of \(path)."
        )
    }
}

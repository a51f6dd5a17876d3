import PushPayload
import Testing

/// One row of a table: a message and what must come of it.
struct MessageCase: Sendable, CustomTestStringConvertible {
    enum Expectation: Sendable {
        /// Exactly this body.
        case body(String)
        /// A body of so many bytes.
        case size(Int)
        /// These faults and no body, as `code@path`.
        case faults([String])
        /// This body with these warnings.
        case warned(String, [String])
    }

    var name: String
    var message: String
    var options: [String] = []
    var isStrict = false
    var isSimulatorFile = false
    var language: String?
    var install: String?
    var expectation: Expectation

    init(
        _ name: String,
        _ message: String,
        options: [String] = [],
        isStrict: Bool = false,
        isSimulatorFile: Bool = false,
        language: String? = nil,
        install: String? = nil,
        _ expectation: Expectation
    ) {
        self.name = name
        self.message = message
        self.options = options
        self.isStrict = isStrict
        self.isSimulatorFile = isSimulatorFile
        self.language = language
        self.install = install
        self.expectation = expectation
    }

    var testDescription: String { name }

    func render() throws -> MessageRendering {
        let source = MessageSource(
            bytes: Array(message.utf8),
            isSimulatorFile: isSimulatorFile,
            options: try PayloadOptions(parsing: options),
            isStrict: isStrict
        )
        return source.render(install: install.map { Array($0.utf8) }, language: language)
    }

    /// Renders the message and compares.
    func check(sourceLocation: SourceLocation = #_sourceLocation) throws {
        let rendering = try render()
        let body = rendering.result.map { String(decoding: $0.body, as: UTF8.self) }
        let found = rendering.faults.map { "\($0.code.rawValue)@\($0.path)" }
        let comment = Comment(rawValue: "\(name): \(rendering.faults)")
        switch expectation {
        case .body(let expected):
            #expect(body == expected, comment, sourceLocation: sourceLocation)
            #expect(found == [], comment, sourceLocation: sourceLocation)
        case .size(let expected):
            #expect(body?.utf8.count == expected, comment, sourceLocation: sourceLocation)
            #expect(found == [], comment, sourceLocation: sourceLocation)
        case .faults(let expected):
            #expect(body == nil, comment, sourceLocation: sourceLocation)
            #expect(found == expected, comment, sourceLocation: sourceLocation)
            #expect(rendering.faults.allSatisfy { $0.severity == .error }, comment)
        case .warned(let expected, let warnings):
            #expect(body == expected, comment, sourceLocation: sourceLocation)
            #expect(found == warnings, comment, sourceLocation: sourceLocation)
            #expect(rendering.warnings == rendering.faults, comment)
        }
        for fault in rendering.faults {
            #expect(!fault.message.isEmpty && !fault.message.contains("\n"), comment)
        }
    }

    /// A message of the dialect apns with this `aps` and other fields.
    static func apns(_ aps: String, _ fields: String = "") -> String {
        #"{"dialect":"apns","aps":"# + aps + (fields.isEmpty ? "" : "," + fields) + "}"
    }

    /// A message of the dialect xulo with draft_id 7 and these fields.
    static func xulo(_ fields: String) -> String {
        #"{"dialect":"xulo",\#(fields),"draft_id":7}"#
    }

    /// The body of a message of ``xulo(_:)``: what stands in the alert, `custom.a` and behind it.
    static func xuloBody(_ alert: String, data: String = "", rest: String = "") -> String {
        #"{"aps":{"alert":{\#(alert)},"sound":"default","category":"xulo"},"custom":{"a":{"#
            + (data.isEmpty ? "" : data + ",") + #""draft_id":7}},"# + rest
            + #""xulo":{"draft_id":7}}"#
    }
}

func times(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

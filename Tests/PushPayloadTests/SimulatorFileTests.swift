import PushModel
import PushPayload
import Testing

/// Files of the simulator's format (contract 10.2, 11 `c-apns-file`).
@Suite struct SimulatorFileTests {
    static let rows: [MessageCase] = [
        MessageCase(
            "the bundle does not travel, other keys are custom",
            #"{"Simulator Target Bundle":"com.example.app","z":null,"aps":{"alert":"x"},"#
                + #""dialect":"xulo"}"#,
            isSimulatorFile: true,
            .body(#"{"aps":{"alert":"x"},"z":null,"dialect":"xulo"}"#)
        ),
        MessageCase(
            "a bundle that is no string",
            #"{"Simulator Target Bundle":5,"aps":{"alert":"x"}}"#,
            isSimulatorFile: true,
            .faults(["wrong_type@Simulator Target Bundle"])
        ),
        MessageCase(
            "a bundle that no header carries",
            #"{"Simulator Target Bundle":"","aps":{"alert":"x"}}"#,
            isSimulatorFile: true,
            .faults(["invalid_header_value@Simulator Target Bundle"])
        ),
        MessageCase(
            "without aps",
            #"{"Simulator Target Bundle":"a"}"#,
            isSimulatorFile: true,
            .faults(["missing_field@aps"])
        ),
        MessageCase(
            "an aps key at the top level travels, with a warning",
            #"{"aps":{"alert":"x"},"mutable_content":1,"content-available":1}"#,
            isSimulatorFile: true,
            .warned(
                #"{"aps":{"alert":"x"},"mutable_content":1,"content-available":1}"#,
                ["unknown_field@mutable_content", "unknown_field@content-available"]
            )
        ),
        MessageCase(
            "numbers that cannot be sent",
            #"{"aps":{"alert":"x"},"n":{"m":1e999}}"#,
            isSimulatorFile: true,
            .faults(["out_of_range@n.m"])
        ),
    ]

    @Test(arguments: rows)
    func readsTheFile(_ row: MessageCase) throws { try row.check() }

    @Test(arguments: [
        (#"{"alert":"x"}"#, PushType.alert),
        (#"{"alert":"x","content-available":1}"#, .alert),
        (#"{"content-available":1}"#, .background),
        (#"{"content-available":true}"#, .background),
        (#"{"badge":0,"content-available":1}"#, .alert),
        (#"{"event":"end","alert":"x"}"#, .liveactivity),
    ])
    func derivesThePushType(_ aps: String, _ pushType: PushType) throws {
        let text = #"{"Simulator Target Bundle":"com.example.app","aps":\#(aps)}"#
        let source = MessageSource(bytes: Array(text.utf8), isSimulatorFile: true)
        let headers = try #require(source.compile().payload).headers
        #expect(headers.pushType == pushType)
        #expect(headers.priority == pushType.defaultPriority)
        #expect(headers.topic == "com.example.app" + pushType.topicSuffix)
    }

    @Test func theCallersTopicWins() throws {
        let text = #"{"Simulator Target Bundle":"com.example.app","aps":{"alert":"x"}}"#
        let source = MessageSource(
            bytes: Array(text.utf8),
            isSimulatorFile: true,
            topic: "com.example.other"
        )
        #expect(source.compile().payload?.headers.topic == "com.example.other")
    }
}

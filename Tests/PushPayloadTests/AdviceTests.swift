import PushPayload
import Testing

/// Messages that name the mend of what people really get wrong (contract 10.5).
@Suite struct AdviceTests {
    @Test(arguments: [
        (#"{"alert":{"body":"x","sound":"default"}}"#, "sound belongs beside alert, in aps"),
        (#"{"alert":{"body":"x","badge":1}}"#, "badge belongs beside alert, in aps"),
        (#"{"alert":{"body":"x","bdy":1}}"#, "alert has no key bdy; did you mean \"body\"?"),
        (
            #"{"alert":{"body":"x","message":1}}"#,
            "alert has no key message; did you mean \"body\"?"
        ),
        (
            #"{"alert":{"body":"x","mutable_content":1}}"#,
            "mutable_content belongs beside alert, in aps, as \"mutable-content\""
        ),
        (
            #"{"alert":"x","content_available":1}"#,
            "aps has no key content_available; did you mean \"content-available\"?"
        ),
        (
            #"{"alert":"x","mutableContent":1}"#,
            "aps has no key mutableContent; did you mean \"mutable-content\"?"
        ),
        (
            #"{"alert":"x","thread-identifier":"t"}"#,
            "aps has no key thread-identifier; did you mean \"thread-id\"?"
        ),
        (#"{"alert":"x","title":"t"}"#, "title belongs inside aps.alert, as \"title\""),
        (
            #"{"alert":"x","sender":"t"}"#,
            "Apple ignores sender in aps; put a key of your own beside aps, in custom"
        ),
        (
            #"{"sound":{"vol":1}}"#,
            "Apple ignores vol in sound; its keys are critical, name and volume"
        ),
    ])
    func namesTheMendInAps(_ aps: String, _ message: String) throws {
        let faults = MessageSource(bytes: Array(String.apns(aps).utf8)).render().faults
        #expect(faults.map(\.message) == [message])
        #expect(faults.map(\.code) == [.unknownApsKey])
        #expect(faults.map(\.severity) == [.warning])
    }

    @Test(arguments: [
        (
            #""content_available":1"#,
            "content_available belongs inside aps, as \"content-available\""
        ),
        (#""badge":1"#, "badge belongs inside aps, as \"badge\""),
        (#""body":"x""#, "body belongs inside aps.alert, as \"body\""),
        (#""colapseId":"x""#, "there is no field colapseId; did you mean \"collapseId\"?"),
        (#""push_type":"alert""#, "there is no field push_type; did you mean \"pushType\"?"),
        (
            #""sender":"x""#,
            "there is no field sender, and it does not travel; put a key of your own in custom"
        ),
        (
            #""Simulator Target Bundle":"x""#,
            "Simulator Target Bundle is read from a file whose name ends in .apns; "
                + "give --topic instead"
        ),
    ])
    func namesTheMendOfAField(_ field: String, _ message: String) throws {
        let text = String.apns(#"{"alert":"x"}"#, field)
        let faults = MessageSource(bytes: Array(text.utf8)).render().faults
        #expect(faults.map(\.message) == [message])
        #expect(faults.map(\.code) == [.unknownField])
    }

    @Test func namesTheNearestFieldOfXulo() {
        let text = String.contents("x", #""heading":{}"#)
        let faults = MessageSource(bytes: Array(text.utf8)).render().faults
        #expect(faults.map(\.message) == ["there is no field heading; did you mean \"headings\"?"])
    }

    @Test func namesTheNearestValue() {
        let text = String.apns(#"{"alert":"x","interruption-level":"time_sensitive"}"#)
        let faults = MessageSource(bytes: Array(text.utf8)).render().faults
        let message =
            "interruption-level has no value \"time_sensitive\"; did you mean \"time-sensitive\"?"
        #expect(faults.map(\.message) == [message])
    }

    @Test func writesAFaultAsAJSONLine() {
        var fault = PayloadFault(
            code: .titleTooLong,
            path: "headings.en",
            message: "one \"clear\" one"
        )
        #expect(
            fault.jsonLine
                == #"{"code":"title_too_long","path":"headings.en","message":"one \"clear\" one"}"#
        )
        fault.severity = .warning
        #expect(fault.jsonLine.hasSuffix(#","severity":"warning"}"#))
    }
}

/// The choices behind `--option` (design 4).
@Suite struct PayloadOptionsTests {
    @Test func takesTheNamesOfTheDesign() throws {
        let options = try PayloadOptions(parsing: [
            "appleNumericFlags=true", "onesignal=true", "languageAliases=true",
            "extraFields=nested", "characters=graphemes",
        ])
        #expect(options.appleNumericFlags && options.onesignal && options.languageAliases)
        #expect(options.extraFields == .nested)
        #expect(options.characters == .graphemes)
    }

    @Test func theLastOfANameWins() throws {
        #expect(try !PayloadOptions(parsing: ["onesignal=true", "onesignal=false"]).onesignal)
    }

    @Test(arguments: [
        ("onesignal", "option \"onesignal\" has no value; write it as NAME=VALUE"),
        ("oneSignal=true", "unknown option \"oneSignal\"; did you mean \"onesignal\"?"),
        (
            "colour=true",
            "unknown option \"colour\"; the options are appleNumericFlags, onesignal, "
                + "languageAliases, extraFields, characters"
        ),
        (
            "onesignal=yes",
            "option onesignal does not take \"yes\"; write onesignal=true or onesignal=false"
        ),
        (
            "characters=",
            "option characters does not take \"\"; write characters=scalars or characters=graphemes"
        ),
    ])
    func refusesTheRest(_ text: String, _ message: String) {
        let error = #expect(throws: PayloadOptionError.self) {
            try PayloadOptions(parsing: [text])
        }
        #expect(error?.description == message)
    }
}

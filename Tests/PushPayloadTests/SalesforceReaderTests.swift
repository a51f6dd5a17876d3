import PushModel
import Testing

@testable import PushPayload

/// The rows S7 and S23 to S28 of contract section 7, 3.2, and `c-sf-decode`.
@Suite(.timeLimit(.minutes(5))) struct SalesforceReaderTests {
    private let device: TestDevice

    init() throws { device = try TestDevice.shared.get() }

    /// The code and the path of the refusal; the displayed texts where there is none.
    private func outcome(_ body: String) -> String {
        do throws(PayloadRefusal) {
            let reading = try device.read(body)
            return "\(reading.title ?? "nil")|\(reading.body ?? "nil")"
        } catch { return "\(error.code)@\(error.path)" }
    }

    @Test func readsWhatItsKeyOpens() throws {
        #expect(outcome(try device.body()) == "T|B")
        let old = try device.wrap(TestDevice.key + TestDevice.iv, isOAEP: false)
        #expect(outcome(try device.body(secret: old)) == "T|B")
    }

    // S7
    @Test func theKeyComesBeforeTheIV() throws {
        let swapped = try device.wrap(TestDevice.iv + TestDevice.key)
        #expect(outcome(try device.body(secret: swapped)) == "-1011@content")
    }

    @Test func checksTheTypesInTheSDKsOrder() throws {
        let whole = #""secret":"x","content":"x","aps":{"alert":{"title":"","body":""}}"#
        let rows = [
            (#"{"encrypted":true}"#, "-1001@secret"),
            (#"{"encrypted":true,"secret":1}"#, "-1001@secret"),
            (#"{"encrypted":true,"secret":"x","content":null}"#, "-1002@content"),
            (#"{"encrypted":true,"secret":"x","content":"x"}"#, "-1005@aps"),
            (#"{"encrypted":true,"secret":"x","content":"x","aps":[]}"#, "-1005@aps"),
            (#"{"encrypted":true,"secret":"x","content":"x","aps":{}}"#, "-1006@aps.alert"),
            // S23
            (
                #"{"encrypted":true,"secret":"x","content":"x","aps":{"alert":"t"}}"#,
                "-1006@aps.alert"
            ),
            // S24: the title is looked at before the body
            (
                #"{"encrypted":true,"secret":"x","content":"x","aps":{"alert":{}}}"#,
                "-1003@aps.alert.title"
            ),
            (
                #"{"encrypted":true,"secret":"x","content":"x","aps":{"alert":{"title":""}}}"#,
                "-1004@aps.alert.body"
            ),
            // S27
            (#"{"encrypted":true,\#(whole)}"#, "-1007@secret"),
        ]
        for (body, expected) in rows { #expect(outcome(body) == expected, "\(body)") }
    }

    // S27, 3.2 step 3
    @Test(arguments: ["not base64", "QUJD\n", "QUI", "QQ=", "Q===", "QUJD-_", "QU=D", "====", "="])
    func secretIsStrictBase64(secret: String) throws {
        let escaped = secret.replacing("\n", with: "\\n")
        #expect(outcome(try device.body(secret: escaped)) == "-1007@secret")
        let content = try device.body(content: escaped)
        #expect(outcome(content) == "-1010@content")
    }

    @Test func aDeviceWithoutAKeySaysSoOnlyWhenItNeedsOne() throws {
        let keyless = PayloadReader(dialect: .salesforce)
        func code(_ body: String) -> String? {
            do throws(PayloadRefusal) {
                _ = try keyless.read(Array(body.utf8))
                return nil
            } catch { return error.code }
        }
        #expect(code(try device.body()) == "-1008")
        #expect(code(try device.body(secret: "?")) == "-1007")
        #expect(code(try device.body(encrypted: "false")) == nil)
    }

    @Test func aSecretOfAnotherKeyOrLengthIsRefused() throws {
        for secret in ["", "QUJD", times("QUJD", 86)] {
            #expect(outcome(try device.body(secret: secret)) == "-1009@secret")
        }
        for count in [0, 16, 31, 33, 64] {
            let bytes = [UInt8](repeating: 7, count: count)
            for isOAEP in [true, false] {
                let secret = try device.wrap(bytes, isOAEP: isOAEP)
                #expect(outcome(try device.body(secret: secret)) == "-1009@secret")
            }
        }
    }

    // S25
    @Test func contentMustBeAnObjectInUTF8() throws {
        for text in [#"["a"]"#, "", "1", "null", #"{"a":1"#, #""x""#] {
            #expect(outcome(try device.body(plaintext: Array(text.utf8))) == "-1012@content")
        }
        #expect(outcome(try device.body(plaintext: [0x7B, 0xFF, 0x7D])) == "-1011@content")
        #expect(outcome(try device.body(content: "")) == "-1011@content")
        #expect(outcome(try device.body(content: "QUJDRA==")) == "-1011@content")
        let cut = try TestDevice.encrypt(
            Array(repeating: 0x20, count: 32),
            key: TestDevice.key,
            iv: TestDevice.iv
        )
        let half = String(cut.prefix(cut.count / 4 / 2 * 4))
        #expect(outcome(try device.body(content: half)).hasPrefix("-101"))
    }

    // S26, S28, `c-sf-decode`
    @Test(arguments: [
        ("true", true), ("1", true), (#""true""#, true), ("2", true), ("-1", true), ("0.5", true),
        (#""yes""#, true), (#""YES""#, true), (#""t""#, true), (#""1""#, true), (#"" +007""#, true),
        (#""-3""#, true), (#""9x""#, true), ("false", false), ("0", false), ("0.0", false),
        ("-0", false), ("null", false), (#""""#, false), (#""no""#, false), (#""false""#, false),
        (#""0""#, false), (#""000""#, false), (#""x1""#, false), (#""--1""#, false),
        ("[]", false), ("[1]", false), ("{}", false),
    ])
    func encryptedIsReadAsBoolValueDoes(value: String, isEncrypted: Bool) throws {
        let body = try device.body(encrypted: value)
        #expect(outcome(body) == (isEncrypted ? "T|B" : "nil|x").replacing("nil", with: ""))
        guard !isEncrypted else { return }
        let reading = try device.read(body)
        #expect(JSONDocument.parse(Array(body.utf8)) == .value(.object(reading.userInfo)))
        #expect(reading.property("encrypted") == .bool(false))
    }

    @Test func absentIsNotEncrypted() throws {
        let body = #"{"aps":{"alert":"x"},"secret":5}"#
        #expect(outcome(body) == "nil|x")
        #expect(try device.read(body).userInfo["secret"] == .number(.integer(5)))
    }

    // 3.2 steps 7 and 8
    @Test func contentOverwritesAndTheAlertFollows() throws {
        let plaintext =
            #"{"alertBody":"B","secret":"mine","new":1,"k":2,"content":"gone","type":"x"}"#
        let body = try device.body(plaintext: Array(plaintext.utf8), rest: #","k":1,"last":0"#)
        let reading = try device.read(body)
        #expect(reading.title == nil)
        #expect(reading.body == "B")
        #expect(
            reading.json
                == #"{"dialect":"salesforce","body":"B","encrypted":true,"type":"x","#
                + #""alertBody":"B","userInfo":{"aps":{"alert":{"body":"B"}},"encrypted":true,"#
                + #""secret":"mine","k":2,"last":0,"alertBody":"B","new":1,"type":"x"}}"#
        )
    }

    @Test func anApsInsideTheContentWins() throws {
        for (aps, expected) in [
            (#""gone""#, #""gone""#), (#"{"alert":"x"}"#, #"{"alert":"x"}"#),
            (#"{"alert":{"body":"y"}}"#, #"{"alert":{"body":"B"}}"#),
        ] {
            let plaintext = #"{"aps":\#(aps),"alertTitle":"T","alertBody":"B"}"#
            let reading = try device.read(device.body(plaintext: Array(plaintext.utf8)))
            #expect(reading.json.contains(#""userInfo":{"aps":\#(expected),"#))
        }
    }

    @Test func refusalsAreOneJSONLineWithoutSecrets() throws {
        do throws(PayloadRefusal) {
            _ = try device.read(#"{"encrypted":1,"secret":"","content":"","aps":{"alert":"t"}}"#)
            Issue.record("the body was read")
        } catch {
            #expect(error.jsonLine.hasPrefix(#"{"code":"-1006","path":"aps.alert","message":""#))
        }
    }
}

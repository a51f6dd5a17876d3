import PushPayload
import Testing

/// The rows X23 to X40 of contract section 7, and the language decisions of section 11.
@Suite struct LanguageChoiceTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var name: String
        var languages: [String]
        var device: String?
        var chosen: String
        var options: [String] = []
        var defaultLanguage: String?

        init(
            _ name: String,
            _ languages: [String],
            device: String?,
            _ chosen: String,
            options: [String] = [],
            defaultLanguage: String? = nil
        ) {
            self.name = name
            self.languages = languages
            self.device = device
            self.chosen = chosen
            self.options = options
            self.defaultLanguage = defaultLanguage
        }

        var testDescription: String { "\(name): \(languages), device \(device ?? "nil")" }
    }

    private static let aliases = ["languageAliases=true"]

    static let rows: [Row] = [
        Row("X23", ["en", "tr"], device: "tr-TR", "tr"),
        Row("X24", ["en", "tr"], device: "TR_tr", "tr"),
        Row("X25", ["en", "fi"], device: "fil-PH", "en"),
        Row("X26", ["en", "tr"], device: "trv-TW", "en"),
        Row("X27", ["zh", "zh-Hant"], device: "zh-Hant-TW", "zh-Hant"),
        Row("X27", ["zh", "zh-Hant"], device: "zh-Hans-CN", "zh"),
        Row("X28 off", ["en", "zh-Hant"], device: "zh-TW", "en"),
        Row("X28 on", ["en", "zh-Hant"], device: "zh-TW", "zh-Hant", options: aliases),
        Row("X29", ["tr-TR", "en"], device: "tr", "en"),
        Row("X30", ["tr", "de"], device: "fr-FR", "tr"),
        Row("X31", ["de", "en", "tr"], device: "fr", "en"),
        Row("X32", ["en-GB", "tr"], device: "fr", "en-GB"),
        Row("X33", ["tr", "en-GB"], device: "en-US", "tr"),
        Row("X37", ["en", "tr"], device: nil, "en"),
        Row("X37", ["en", "tr"], device: "", "en"),
        Row("X37", ["en", "tr"], device: "xx", "en"),
        Row("X38", ["tr", "en"], device: "en-US-u-ca-buddhist", "en"),
        Row("c-lang-tag", ["en", "tr"], device: "tr-", "en"),
        Row("c-lang-tag", ["en", "tr"], device: "tr--TR", "en"),
        Row("c-lang-tag", ["en", "tr"], device: "tr-abcdefghi", "en"),
        Row("c-lang-tag", ["en", "tr"], device: "tür", "en"),
        Row("c-lang-tag", ["en", "tr"], device: " \ttr\r\n", "tr"),
        Row("c-lang-tag", ["en", "tr"], device: "tr @euro", "en"),
        Row("c-lang-tag", ["en", "tr"], device: "tr_TR.UTF-8@euro", "tr"),
        Row("c-lang-tag", ["tr", "en"], device: "en-x-y-z1", "en"),
        Row("c-lang-default", ["tr", "EN"], device: "fr", "EN"),
        Row("c-lang-default", ["tr", "en@x"], device: "fr", "en@x"),
        Row("c-lang-default", ["tr", "de-DE"], device: "fr", "de-DE", defaultLanguage: "DE_de"),
        Row("c-lang-default", ["en", "de"], device: "fr", "de", defaultLanguage: "de"),
        Row("c-lang-alias", ["zh", "zh-Hant"], device: "zh-TW", "zh-Hant", options: aliases),
        Row("c-lang-alias", ["en", "nb"], device: "no-NO", "nb", options: aliases),
        Row("c-lang-alias", ["no", "nb"], device: "no-NO", "no", options: aliases),
        Row("c-lang-alias", ["en", "he"], device: "iw-IL", "he", options: aliases),
        Row("c-lang-alias", ["en", "iw"], device: "he", "en", options: aliases),
        Row("c-lang-alias", ["en", "zh-Hans"], device: "zh-CN", "zh-Hans", options: aliases),
    ]

    @Test(arguments: rows)
    func choosesTheLanguageOfTheTable(_ row: Row) throws {
        let texts = row.languages.map { #""\#($0)":"text in \#($0)""# }.joined(separator: ",")
        let chosenDefault = row.defaultLanguage.map { #","defaultLanguage":"\#($0)""# } ?? ""
        // The rule is the same for xulo's maps and for the text maps of the other dialects.
        for message in [
            String.xulo(#""contents":{\#(texts)}"# + chosenDefault),
            .apns(#"{"alert":{"body":{\#(texts)}}}"#, String(chosenDefault.dropFirst())),
        ] {
            let rendering = try MessageCase(
                "",
                message,
                options: row.options,
                language: row.device,
                .size(0)
            ).render()
            let result = try #require(rendering.result, "\(rendering.faults)")
            #expect(result.language == row.chosen)
            let body = String(decoding: result.body, as: UTF8.self)
            #expect(body.contains("\"body\":\"text in \(row.chosen)\""))
        }
    }

    static let faults: [MessageCase] = [
        MessageCase(
            "X34",
            .xulo(#""contents":{"tr":"Selam","en":"Hi"},"headings":{"en":"Hi"}"#),
            language: "tr",
            .xulo(#""body":"Selam""#)
        ),
        MessageCase(
            "X35",
            .xulo(#""contents":{"tr":"a","TR":"b"}"#),
            .faults(["duplicate_language@contents.TR"])
        ),
        MessageCase(
            "X36",
            .xulo(#""contents":{"en":"a"},"headings":{"en":"A","de":"B"}"#),
            .faults(["missing_field@contents.de"])
        ),
        MessageCase(
            "X40",
            .contents("x", #""defaultLanguage":"de""#),
            .faults(["unknown_default_language@defaultLanguage"])
        ),
        MessageCase(
            "c-lang-tag: a malformed language of a message",
            .xulo(#""contents":{"tr-":"a","en":"b"},"headings":{"de":"c"},"defaultLanguage":"fr""#),
            .faults(["invalid_language@contents.tr-"])
        ),
        MessageCase(
            "c-lang-map: body leads, a text it lacks a language of is a fault of body",
            .apns(#"{"alert":{"title":{"en":"T","de":"T"},"body":{"tr":"B","en":"B"}}}"#),
            .faults(["missing_field@aps.alert.body.de"])
        ),
        MessageCase(
            "c-lang-map: title leads subtitle where body is plain",
            .apns(
                #"{"alert":{"subtitle":{"EN":"S","fr":"S"},"title":{"tr":"T","en":"T"},"#
                    + #""body":"B"}}"#
            ),
            .faults(["missing_field@aps.alert.title.fr"])
        ),
        MessageCase(
            "c-lang-map: a language that another map lacks has no text there",
            .apns(
                #"{"alert":{"title":{"en":"T"},"subtitle":"S","body":{"tr":"B","en":"C"}}}"#
            ),
            language: "tr-TR",
            .body(#"{"aps":{"alert":{"subtitle":"S","body":"B"}}}"#)
        ),
        MessageCase(
            "c-lang-map: order of keys is that of section 2",
            .apns(#"{"alert":{"body":{"tr":"B","en":"C"},"title":{"en":"T"}}}"#),
            language: "en-GB",
            .body(#"{"aps":{"alert":{"title":"T","body":"C"}}}"#)
        ),
        MessageCase(
            "c-lang-map: an empty map",
            .apns(#"{"alert":{"title":"T","body":{}}}"#),
            .faults(["missing_field@aps.alert.body"])
        ),
        MessageCase(
            "c-lang-default: a message without maps",
            .apns(#"{"alert":"x"}"#, #""defaultLanguage":"en""#),
            .faults(["unknown_default_language@defaultLanguage"])
        ),
        MessageCase(
            "c-cascade: no judgement by a broken text",
            .apns(#"{"alert":{"body":5,"title":{"en":"T"}}}"#, #""defaultLanguage":"de""#),
            .faults(["wrong_type@aps.alert.body"])
        ),
        MessageCase(
            "c-size-path: text field and language as written",
            .apns(
                #"{"alert":{"title":{"en":"T"},"body":{"tr_TR":"\#(times("x", 4100))","en":"C","#
                    + #""de":"\#(times("x", 4100))"}}}"#
            ),
            language: "en",
            .faults([
                "payload_too_large@aps.alert.body.tr_TR", "payload_too_large@aps.alert.body.de",
            ])
        ),
        MessageCase(
            "an empty --language beats the install's",
            .xulo(#""contents":{"en":"Hi","tr":"Selam"}"#),
            language: "",
            install: #"{"token":"ab","language":"tr"}"#,
            .xulo(#""body":"Hi""#)
        ),
        MessageCase(
            "the install's language",
            .xulo(#""contents":{"en":"Hi","tr":"Selam"}"#),
            install: #"{"token":"ab","language":"tr_TR"}"#,
            .xulo(#""body":"Selam""#)
        ),
    ]

    @Test(arguments: faults)
    func treatsLanguagesAsDecided(_ row: MessageCase) throws { try row.check() }
}

import HTTP2
import MockAPNs
import PushModel
import Testing

/// What the rules say to a request's fields and body (contract 1.2 to 1.7, 7 T1 to T8).
@Suite struct RequestRuleTests {
    /// A request, what it is about, and its answer.
    struct Case: CustomTestStringConvertible {
        var name: String
        var request: PushRequest
        var answer: String
        var testDescription: String { name }

        init(_ name: String, _ request: PushRequest, _ answer: String) {
            self.name = name
            self.request = request
            self.answer = answer
        }

        /// A valid push with one field changed.
        init(_ field: RequestField, _ value: String?, _ answer: String) {
            let name = "\(field.wireName): \(value ?? "absent")"
            self.init(name, PushRequest([field: value]), answer)
        }

        /// A push of a type to a topic.
        init(type: String?, topic: String, priority: String? = nil, _ answer: String) {
            self.init(
                "\(type ?? "no type"), \(topic), priority \(priority ?? "absent")",
                PushRequest([.apnsPushType: type, .apnsTopic: topic, .apnsPriority: priority]),
                answer
            )
        }
    }

    static let pathCases = [
        Case("a valid push", PushRequest(), "200"),
        Case("T1", PushRequest(token: "ab", [.method: "GET"]), "405 MethodNotAllowed"),
        Case("T2", PushRequest(token: ""), "400 MissingDeviceToken"),
        Case(.path, "/2/device/ab", "404 BadPath"),
        Case(.path, "/3/device", "404 BadPath"),
        Case(.path, "/", "404 BadPath"),
        Case("odd token", PushRequest(token: "abc"), "400 BadDeviceToken"),
        Case("no hex", PushRequest(token: "xy"), "400 BadDeviceToken"),
        Case("shortest token", PushRequest(token: "aB"), "200"),
        Case("longest token", PushRequest(token: String(repeating: "0F", count: 200)), "200"),
        Case(
            "a token over 400 digits",
            PushRequest(token: String(repeating: "0F", count: 201)),
            "400 BadDeviceToken"
        ),
    ]

    static let fieldCases = [
        Case(.apnsTopic, nil, "400 MissingTopic"),
        Case(.apnsTopic, "", "400 BadTopic"),
        Case(.apnsTopic, "com example", "400 BadTopic"),
        Case(.apnsTopic, "com.example/app", "400 BadTopic"),
        Case(.apnsTopic, String(repeating: "a", count: 255), "200"),
        Case(.apnsTopic, String(repeating: "a", count: 256), "400 BadTopic"),
        Case(.apnsPushType, "", "400 InvalidPushType"),
        Case(.apnsPushType, "Alert", "400 InvalidPushType"),
        Case(.apnsPushType, "silent", "400 InvalidPushType"),
        Case(.apnsPushType, nil, "200"),
        Case(.apnsPriority, "10", "200"),
        Case(.apnsPriority, "5", "200"),
        Case(.apnsPriority, "1", "200"),
        Case(.apnsPriority, "7", "400 BadPriority"),
        Case(.apnsPriority, "", "400 BadPriority"),
        Case(.apnsPriority, "05", "400 BadPriority"),
        Case(.apnsExpiration, "0", "200"),
        Case(.apnsExpiration, "1700003600", "200"),
        Case(.apnsExpiration, "", "400 BadExpirationDate"),
        Case(.apnsExpiration, "-1", "400 BadExpirationDate"),
        Case(.apnsExpiration, "1.5", "400 BadExpirationDate"),
        Case(.apnsExpiration, "tomorrow", "400 BadExpirationDate"),
        Case(.apnsID, "123e4567-e89b-12d3-a456-4266554400a0", "200"),
        Case(.apnsID, "123E4567-E89B-12D3-A456-4266554400A0", "200"),
        Case(.apnsID, "123e4567e89b12d3a4564266554400a0", "400 BadMessageId"),
        Case(.apnsID, "123e4567-e89b-12d3-a456-4266554400g0", "400 BadMessageId"),
        Case(.apnsID, "", "400 BadMessageId"),
        Case(.apnsCollapseID, String(repeating: "c", count: 64), "200"),
        Case(.apnsCollapseID, String(repeating: "c", count: 65), "400 BadCollapseId"),
        // 33 letters, 66 bytes: bytes count.
        Case(.apnsCollapseID, String(repeating: "ş", count: 33), "400 BadCollapseId"),
        Case(.apnsCollapseID, "", "400 BadCollapseId"),
    ]

    static let typeCases = [
        Case(type: "background", topic: "com.a", priority: "5", "200"),
        Case(type: "background", topic: "com.a", "200"),
        Case(type: "background", topic: "com.a", priority: "10", "400 BadPriority"),
        Case(type: "liveactivity", topic: "com.a.push-type.liveactivity", priority: "10", "200"),
        Case(
            type: "liveactivity",
            topic: "com.a.push-type.liveactivity",
            priority: "1",
            "400 BadPriority"
        ),
        Case(type: "location", topic: "com.a.location-query", priority: "1", "400 BadPriority"),
        Case(type: "mdm", topic: "com.apple.mgmt.External.1", priority: "10", "200"),
        Case(type: "voip", topic: "com.a", "400 BadTopic"),
        Case(type: "voip", topic: ".voip", "400 BadTopic"),
        Case(type: "alert", topic: "com.a.voip", "400 BadTopic"),
        Case(type: "pushtotalk", topic: "com.a.voip", "400 BadTopic"),
        Case(type: nil, topic: "com.a.voip", priority: "10", "200"),
        Case(type: nil, topic: ".voip", "400 BadTopic"),
    ]

    @Test(arguments: pathCases + fieldCases + typeCases)
    func answersOneFault(_ row: Case) {
        let connection = RuleConnection()
        #expect(connection.answer(row.request) == row.answer)
        // What the connection now remembers must not change the answer.
        #expect(connection.answer(PushRequest()) == "200")
        #expect(connection.answer(row.request) == row.answer)
    }

    @Test(arguments: PushType.allCases)
    func takesEachPushTypeWithItsSuffixAndLimit(_ type: PushType) {
        let connection = RuleConnection()
        for (size, answer) in [
            (type.bodyLimit, "200"), (type.bodyLimit + 1, "413 PayloadTooLarge"),
            (0, "400 PayloadEmpty"),
        ] {
            let request = PushRequest(
                [
                    .apnsPushType: type.rawValue, .apnsTopic: "com.example.app" + type.topicSuffix,
                    .apnsPriority: String(type.defaultPriority),
                ],
                body: size == 0 ? "" : Self.body(size: size)
            )
            #expect(connection.answer(request) == answer)
        }
    }

    @Test func limitsABodyWithoutPushTypeByItsTopic() {
        let connection = RuleConnection()
        let changes: [RequestField: String?] = [.apnsPushType: nil, .apnsTopic: "com.a.voip"]
        #expect(connection.answer(PushRequest(changes, body: Self.body(size: 5120))) == "200")
        #expect(
            connection.answer(PushRequest(changes, body: Self.body(size: 5121)))
                == "413 PayloadTooLarge"
        )
        #expect(
            connection.answer(PushRequest([.apnsPushType: nil], body: Self.body(size: 4097)))
                == "413 PayloadTooLarge"
        )
    }

    @Test func answersTheFirstOfSeveralFaultsInTheOrderOfChecks() {
        var request = PushRequest(
            token: "abc",
            [
                .method: "GET", .apnsTopic: nil, .apnsPushType: "x", .apnsPriority: "x",
                .apnsExpiration: "x", .apnsID: "x", .apnsCollapseID: "",
            ],
            body: ""
        )
        request.fields[.path] = "/x"
        request.duplicatedField = .apnsTopic
        let connection = RuleConnection(APNsRules(authentication: .any))
        let mends: [(String, (inout PushRequest) -> Void)] = [
            ("405 MethodNotAllowed", { $0.fields[.method] = "POST" }),
            ("404 BadPath", { $0.fields[.path] = "/3/device/" }),
            ("400 MissingDeviceToken", { $0.fields[.path] = "/3/device/abc" }),
            ("400 DuplicateHeaders", { $0.duplicatedField = nil }),
            ("403 MissingProviderToken", { _ in connection.rules.authentication = .off }),
            ("400 MissingTopic", { $0.fields[.apnsTopic] = "com example" }),
            ("400 BadTopic", { $0.fields[.apnsTopic] = "com.a" }),
            ("400 InvalidPushType", { $0.fields[.apnsPushType] = "alert" }),
            ("400 BadPriority", { $0.fields[.apnsPriority] = "10" }),
            ("400 BadExpirationDate", { $0.fields[.apnsExpiration] = "0" }),
            ("400 BadMessageId", { $0.fields[.apnsID] = nil }),
            ("400 BadCollapseId", { $0.fields[.apnsCollapseID] = nil }),
            ("400 BadDeviceToken", { $0.fields[.path] = "/3/device/abcd" }),
            ("400 PayloadEmpty", { $0.body = Array(Self.body(size: 4097).utf8) }),
            ("413 PayloadTooLarge", { $0.body = Array("[1]".utf8) }),
            ("400 PayloadInvalidJSON", { $0.body = Array("{}".utf8) }),
        ]
        for (answer, mend) in mends {
            #expect(connection.answer(request) == answer)
            mend(&request)
        }
        #expect(connection.answer(request) == "200")
    }

    @Test(arguments: [
        "x", "{", "{]", "[]", "1", "null", "\"a\"", "{\"a\":1,}", "{\"a\" 1}", "{}{}", " ",
        "{\"a\":\"\u{1}\"}",
        "{\"a\":tru}",
    ])
    func refusesABodyThatIsNoJSONObject(_ body: String) {
        let connection = RuleConnection()
        #expect(connection.answer(PushRequest(body: body)) == "400 PayloadInvalidJSON")
    }

    @Test(arguments: ["{}", " {\"a\":[1,2.5e3,null]}\n", "{\"aps\":{\"alert\":\"🎉\"}}"])
    func takesAJSONObject(_ body: String) {
        let connection = RuleConnection()
        #expect(connection.answer(PushRequest(body: body)) == "200")
    }

    @Test func refusesBytesThatAreNotUTF8() {
        let connection = RuleConnection()
        var request = PushRequest()
        request.body = Array(#"{"a":""#.utf8) + [0xC3, 0x28] + Array(#""}"#.utf8)
        #expect(connection.answer(request) == "400 PayloadInvalidJSON")
    }

    @Test func looksAtNoBodyWhenHeadersAloneAreVerified() {
        let connection = RuleConnection(APNsRules(authentication: .off, verification: .headers))
        #expect(connection.answer(PushRequest(body: "")) == "200")
        #expect(connection.answer(PushRequest(body: Self.body(size: 9000))) == "200")
        #expect(connection.answer(PushRequest(body: "{")) == "200")
        #expect(connection.answer(PushRequest([.apnsPriority: "3"])) == "400 BadPriority")
    }

    @Test func takesEverythingWhenVerificationIsOff() {
        let connection = RuleConnection(APNsRules(authentication: .any, verification: .off))
        #expect(connection.answer(PushRequest([.method: "GET", .path: "/x"], body: "")) == "200")
    }

    static func body(size: Int) -> String {
        #"{"a":""# + String(repeating: "x", count: size - 8) + #""}"#
    }
}

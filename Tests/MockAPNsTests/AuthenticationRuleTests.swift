import HTTP2
import MockAPNs
import PushModel
import Testing

/// What the rules say to a provider token (contract 1.4, 7 T4 to T6).
@Suite struct AuthenticationRuleTests {
    static let now: Int64 = 1_700_000_000
    let tokens: ProviderTokens

    init() throws { tokens = try ProviderTokens() }

    private func connection(_ policy: AuthenticationPolicy) -> RuleConnection {
        let connection = RuleConnection(APNsRules(authentication: policy))
        connection.now = Self.now
        return connection
    }

    private func push(_ authorization: String?) -> PushRequest {
        PushRequest([.authorization: authorization])
    }

    @Test(arguments: [nil, "", "bearer", "bearer ", "Basic QWxhZGRpbjpvcGVu"])
    func asksForATokenThatIsMissing(_ authorization: String?) {
        let connection = self.connection(.any)
        #expect(connection.answer(push(authorization)) == "403 MissingProviderToken")
    }

    @Test func takesATokenOfAnyKey() throws {
        let connection = self.connection(.any)
        let value = try tokens.authorization(issuedAt: Self.now)
        #expect(connection.answer(push(value)) == "200")
        #expect(connection.answer(push(value)) == "200")
    }

    @Test func takesTheSchemeInEitherCase() throws {
        let connection = self.connection(.any)
        let value = try tokens.authorization(issuedAt: Self.now).replacing("bearer", with: "BeArEr")
        #expect(connection.answer(push(value)) == "200")
    }

    @Test func checksTheSignatureAgainstTheGivenKey() throws {
        let other = try ProviderTokens()
        let right = try tokens.authorization(issuedAt: Self.now)
        let wrong = try other.authorization(issuedAt: Self.now)
        let first = self.connection(try tokens.policy())
        #expect(first.answer(push(right)) == "200")
        let second = self.connection(try tokens.policy())
        #expect(second.answer(push(wrong)) == "403 InvalidProviderToken")
        #expect(second.answer(push(wrong)) == "403 InvalidProviderToken")
        #expect(second.answer(push(right)) == "200")
        #expect(second.answer(push(right + "AAAA")) == "403 InvalidProviderToken")
    }

    @Test(arguments: [
        (0, "200"), (3600, "200"), (3601, "403 ExpiredProviderToken"),
        (61 * 60, "403 ExpiredProviderToken"), (-3600, "200"), (-3601, "403 InvalidProviderToken"),
    ])
    func judgesTheAgeOfAToken(_ age: Int64, _ answer: String) throws {
        let connection = self.connection(.any)
        let value = try tokens.authorization(issuedAt: Self.now - age)
        #expect(connection.answer(push(value)) == answer)
    }

    @Test func refusesATokenThatExpiresWhileTheConnectionUsesIt() throws {
        let connection = self.connection(.any)
        let value = try tokens.authorization(issuedAt: Self.now)
        #expect(connection.answer(push(value)) == "200")
        connection.now = Self.now + 3601
        #expect(connection.answer(push(value)) == "403 ExpiredProviderToken")
        let fresh = try tokens.authorization(issuedAt: connection.now)
        #expect(connection.answer(push(fresh)) == "200")
    }

    @Test func takesAFreshTokenAfterOneThatCameExpired() throws {
        let connection = self.connection(.any)
        let old = try tokens.authorization(issuedAt: Self.now - 4000)
        #expect(connection.answer(push(old)) == "403 ExpiredProviderToken")
        let fresh = try tokens.authorization(issuedAt: Self.now)
        #expect(connection.answer(push(fresh)) == "200")
    }

    @Test func refusesASecondNewTokenWithinTwentyMinutes() throws {
        let connection = self.connection(.any)
        let first = try tokens.authorization(issuedAt: Self.now)
        let second = try tokens.authorization(issuedAt: Self.now + 1)
        #expect(connection.answer(push(first)) == "200")
        connection.now = Self.now + 1199
        #expect(connection.answer(push(second)) == "429 TooManyProviderTokenUpdates")
        #expect(connection.answer(push(first)) == "200")
        connection.now = Self.now + 1200
        #expect(connection.answer(push(second)) == "200")
        #expect(connection.answer(push(first)) == "429 TooManyProviderTokenUpdates")
        #expect(connection.answer(push(second)) == "200")
    }

    @Test func keepsAConnectionToOneTeam() throws {
        let connection = self.connection(.any)
        #expect(connection.answer(push(try tokens.authorization(issuedAt: Self.now))) == "200")
        connection.now = Self.now + 1800
        let other = try tokens.authorization(issuedAt: connection.now, team: "TEAM654321")
        #expect(connection.answer(push(other)) == "403 UnrelatedKeyIdInToken")
        #expect(connection.answer(push(try tokens.authorization(issuedAt: Self.now))) == "200")
    }

    @Test func keepsAConnectionToOneKey() throws {
        let connection = self.connection(.any)
        let other = try ProviderTokens(keyID: "KEY7654321")
        #expect(connection.answer(push(try tokens.authorization(issuedAt: Self.now))) == "200")
        connection.now = Self.now + 1800
        let unrelated = push(try other.authorization(issuedAt: connection.now))
        #expect(connection.answer(unrelated) == "403 UnrelatedKeyIdInToken")
        #expect(connection.answer(unrelated) == "403 UnrelatedKeyIdInToken")
        // Another connection is free to use it.
        connection.state = ConnectionRuleState()
        #expect(connection.answer(unrelated) == "200")
    }

    @Test func takesATokenThatReplacesAnExpiredOneAtOnce() throws {
        let connection = self.connection(.any)
        let old = try tokens.authorization(issuedAt: Self.now - 3590)
        #expect(connection.answer(push(old)) == "200")
        // Not twenty minutes after the old one by its claim, nor on this connection, but it is over.
        connection.now = Self.now + 60
        let new = try tokens.authorization(issuedAt: Self.now - 3000)
        #expect(connection.answer(push(old)) == "403 ExpiredProviderToken")
        #expect(connection.answer(push(new)) == "200")
    }

    @Test(arguments: [(1199, "429 TooManyProviderTokenUpdates"), (1200, "200")])
    func judgesAnUpdateOnAYoungConnectionByWhenTheTokensWereIssued(
        _ interval: Int64,
        _ answer: String
    ) throws {
        let connection = self.connection(.any)
        let first = try tokens.authorization(issuedAt: Self.now - interval)
        #expect(connection.answer(push(first)) == "200")
        #expect(connection.answer(push(try tokens.authorization(issuedAt: Self.now))) == answer)
    }

    @Test func takesTheKeysThatItKnowsWithWhatBindsThem() throws {
        let other = try ProviderTokens(keyID: "KEY7654321")
        let policy = AuthenticationPolicy.keys([try tokens.key(), try other.key()])
        for known in [tokens, other] {
            let value = try known.authorization(issuedAt: Self.now)
            #expect(self.connection(policy).answer(push(value)) == "200")
        }
        let value = try tokens.authorization(issuedAt: Self.now)
        for (change, answer) in Self.bindings {
            var key = try tokens.key()
            change(&key)
            #expect(self.connection(.keys([key])).answer(push(value)) == answer)
        }
    }

    private static let bindings: [(change: @Sendable (inout ProviderKey) -> Void, String)] = [
        ({ $0.keyID = "KEY1234567" }, "200"),
        ({ $0.keyID = "KEY7654321" }, "403 InvalidProviderToken"),
        ({ $0.teamID = "TEAM123456" }, "200"),
        ({ $0.teamID = "TEAM654321" }, "403 InvalidProviderToken"),
        ({ $0.environment = .production }, "200"),
        ({ $0.environment = .sandbox }, "403 BadEnvironmentKeyIdInToken"),
    ]

    @Test func takesAKeyThatIsKnownForBothEnvironments() throws {
        let policy = AuthenticationPolicy.keys([
            try tokens.key(for: .sandbox), try tokens.key(for: .production),
        ])
        let value = try tokens.authorization(issuedAt: Self.now)
        #expect(self.connection(policy).answer(push(value)) == "200")
    }

    @Test func asksNoTokenOfAClientCertificate() {
        let connection = self.connection(.any)
        connection.state = ConnectionRuleState(certificate: ClientCertificate())
        #expect(connection.answer(push(nil)) == "200")
        #expect(connection.answer(push("bearer nonsense")) == "200")
    }

    @Test func readsClaimsWhateverTheirOrderBlanksAndNeighbours() {
        let connection = self.connection(.any)
        let token = ProviderTokens.unsigned(
            header: #"{"typ":"JWT","kid":"KEY1234567","alg":"ES256"}"#,
            claims: #"{ "iat" : 1700000000, "x":{"iss":["]"]}, "iss" : "TEAM123456" }"#
        )
        #expect(connection.answer(push("bearer " + token)) == "200")
    }

    /// Faults of form, each a header and claims.
    static let malformed: [(header: String, claims: String)] = [
        (#"{"kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        (#"{"alg":"HS256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        (#"{"alg":"none","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        (#"{"alg":"ES256"}"#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        (#"{"alg":"ES256","kid":"KEY"}"#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iat":1700000000}"#),
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM","iat":1700000000}"#),
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456"}"#),
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":"1700000000"}"#),
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":1700000000000}"#),
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"{"iss":"TEAM123456","iat":null}"#),
        (#"{"alg":"ES256","kid":"KEY1234567"}"#, #"[]"#),
        (#"{"alg":"ES256","kid":"KEY1234567""#, #"{"iss":"TEAM123456","iat":1700000000}"#),
        (
            #"{"alg":"ES256","kid":"KEY1234567"}"#,
            #"{"iss":"TEAM123456","iat":1700000000,"iat":1700000000}"#
        ),
        ("", ""),
    ]

    @Test(arguments: malformed)
    func refusesATokenOfWrongForm(_ parts: (header: String, claims: String)) {
        let connection = self.connection(.any)
        let token = ProviderTokens.unsigned(header: parts.header, claims: parts.claims)
        #expect(connection.answer(push("bearer " + token)) == "403 InvalidProviderToken")
    }

    @Test func refusesTokensThatAreCutOrPadded() throws {
        let whole = try tokens.authorization(issuedAt: Self.now)
        let parts = whole.split(separator: ".").map(String.init)
        for value in [
            parts[0] + "." + parts[1], whole + ".", whole.replacing(" ", with: " ."), whole + "=",
            String(whole.dropLast()), whole + "AAAA", "bearer x", "bearer ..",
            whole.replacing(parts[1], with: parts[1] + "!"),
        ] {
            let connection = self.connection(.any)
            #expect(connection.answer(push(value)) == "403 InvalidProviderToken")
        }
    }

    @Test func survivesAnyBytesAsToken() {
        var generator = UUIDGenerator(seed: 42)
        for _ in 0..<500 {
            let connection = self.connection(.any)
            let noise = String(uuid: generator.next()) + "." + String(uuid: generator.next())
            #expect(connection.answer(push("bearer " + noise)) == "403 InvalidProviderToken")
        }
    }
}

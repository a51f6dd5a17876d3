import Dispatch
import PushCrypto
import PushModel
import PushPayload
import Synchronization
import Testing

@testable import MockAPNs

/// Each fault of a content, by bodies made for it.
@Suite(.timeLimit(.minutes(5))) struct ContentCheckTests {
    private static let english = ContentFixture.token(0)
    private static let german = ContentFixture.token(1)

    // MARK: - In the clear

    @Test func takesEachInstallsOwnTextOnce() throws {
        let fixture = try ContentFixture()
        let inspector = try fixture.inspector()
        #expect(inspector.names(Self.english, fixture.plain(variant: 0, uid: 0)) == [])
        let german = fixture.plain(variant: 1, uid: 1, badge: 3)
        #expect(inspector.names(Self.german, german) == [])
        #expect(inspector.names(Self.german, german) == ["duplicate_install"])
    }

    @Test func takesAnInstallAgainWhereTheSenderRepeatsItself() throws {
        let fixture = try ContentFixture()
        let inspector = try fixture.inspector(arrivesOnce: false)
        for _ in 0..<3 {
            #expect(inspector.names(Self.english, fixture.plain(variant: 0, uid: 0)) == [])
        }
    }

    @Test func knowsTokensInEitherCase() throws {
        let fixture = try ContentFixture()
        let inspector = try fixture.inspector()
        let upper = Array(String(decoding: Self.english, as: UTF8.self).uppercased().utf8)
        #expect(inspector.names(upper, fixture.plain(variant: 0, uid: 0)) == [])
    }

    @Test func tellsWhatIsWrongWithTextsInTheClear() throws {
        let fixture = try ContentFixture()
        let inspector = try fixture.inspector(arrivesOnce: false)
        let own = fixture.plain(variant: 0, uid: 0)
        let other = fixture.plain(variant: 1, uid: 0)
        #expect(inspector.names(Self.english, other) == ["wrong_language"])
        #expect(inspector.names(Self.english, own.dropLast() + [0x20]) == ["wrong_text"])
        #expect(inspector.names(Self.english, own + [0x20]) == ["wrong_text"])
        #expect(inspector.names(Self.english, []) == ["wrong_text"])
        #expect(inspector.names(ContentFixture.token(2), own) == ["unknown_install"])
        #expect(inspector.names([], own) == ["unknown_install"])
    }

    @Test func missesABadgeOfTheInstalls() throws {
        let fixture = try ContentFixture(ContentFixture.salesforce)
        let inspector = try fixture.inspector(arrivesOnce: false)
        let body = try fixture.sealed(variant: 1, uid: 1, badge: 4, key: 1, .pkcs1)
        #expect(inspector.names(Self.german, body) == ["wrong_text"])
    }

    // MARK: - Encrypted

    @Test func opensWithBothPaddings() throws {
        let fixture = try ContentFixture(ContentFixture.salesforce)
        let inspector = try fixture.inspector()
        let oaep = try fixture.sealed(variant: 0, uid: 0, key: 0, .oaepSHA256)
        let pkcs1 = try fixture.sealed(variant: 1, uid: 1, badge: 3, key: 1, .pkcs1)
        #expect(inspector.names(Self.english, oaep) == [])
        #expect(inspector.names(Self.german, pkcs1) == [])
        #expect(inspector.names(Self.german, pkcs1) == ["duplicate_install", "reused_secret"])
    }

    @Test func tellsWhatIsWrongWithEncryptedContents() throws {
        let fixture = try ContentFixture(ContentFixture.salesforce)
        let inspector = try fixture.inspector(arrivesOnce: false)
        func names(
            variant: Int = 0,
            uid: Int = 0,
            key: Int = 0,
            _ padding: WrapPadding = .oaepSHA256,
            change: (inout [UInt8]) -> Void = { _ in }
        ) throws -> [String] {
            var body = try fixture.sealed(variant: variant, uid: uid, key: key, padding)
            change(&body)
            return inspector.names(Self.english, body)
        }
        #expect(try names() == [])
        #expect(try names(variant: 1) == ["wrong_language"])
        #expect(try names(uid: 1) == ["wrong_text"])
        #expect(try names(key: 1) == ["wrong_key"])
        #expect(try names(.pkcs1) == ["wrong_padding"])
        #expect(try names(key: 1, .pkcs1) == ["wrong_key", "wrong_padding"])
        #expect(try names { $0[0] = UInt8(ascii: "[") } == ["wrong_text"])
        #expect(try names { $0.removeLast() } == ["wrong_text"])
        #expect(try names { $0.removeSubrange(3...) } == ["wrong_text"])
        let plain = fixture.plain(variant: 0, uid: 0)
        #expect(inspector.names(Self.english, plain) == ["not_encrypted"])
    }

    @Test func tellsDamagedSecretsAndContents() throws {
        let fixture = try ContentFixture(ContentFixture.salesforce)
        let inspector = try fixture.inspector(arrivesOnce: false)
        let body = try fixture.sealed(variant: 0, uid: 0, key: 0, .oaepSHA256)
        let found = fixture.payload.sealedParts(of: body.span.bytes, variant: 0, badge: nil)
        let parts = try #require(found)
        for range in [parts.secret, parts.content] {
            var damaged = body
            damaged[range.lowerBound] = UInt8(ascii: "*")
            #expect(inspector.names(Self.english, damaged) == ["not_decryptable"])
            let middle = range.lowerBound + range.count / 2
            damaged = body
            damaged.removeSubrange(middle..<middle + 4)
            // A shorter secret moves what is behind it: then the frame does not fit.
            let fault = range == parts.secret ? "wrong_text" : "not_decryptable"
            #expect(inspector.names(Self.english, damaged) == [fault])
        }
    }

    @Test func noticesASecretThatComesTwice() throws {
        let fixture = try ContentFixture(ContentFixture.salesforce)
        let inspector = try fixture.inspector(arrivesOnce: false)
        let body = try fixture.sealed(variant: 0, uid: 0, key: 0, .oaepSHA256)
        #expect(inspector.names(Self.english, body) == [])
        #expect(inspector.names(Self.english, body) == ["reused_secret"])
    }

    @Test func wantsAPrivateKeyForEachPublicKey() throws {
        let fixture = try ContentFixture(ContentFixture.salesforce)
        func fault(_ pairs: [RSAKeyPair]?) -> ContentExpectationError? {
            do throws(ContentExpectationError) {
                _ = try ContentExpectation(
                    payload: fixture.payload,
                    installs: fixture.installs,
                    keys: fixture.keys,
                    opener: pairs.map { ContentOpener(keys: $0) },
                    arrivesOnce: true
                )
                return nil
            } catch { return error }
        }
        #expect(fault(nil) == .noPrivateKeys(installs: 2))
        #expect(fault([fixture.pairs[1]]) == .missingPrivateKeys(1, of: 2))
        #expect(fault(fixture.pairs) == nil)
        #expect(fault(fixture.pairs.reversed()) == nil)
    }

    @Test func refusesAnAudienceWithATokenTwice() throws {
        let fixture = try ContentFixture()
        try fixture.installs.append(
            token: ContentFixture.token(0).span.bytes,
            languageIndex: 0,
            environment: .production,
            badge: nil,
            uid: RawSpan()
        )
        #expect(throws: ContentExpectationError.repeatedTokens(1)) { try fixture.expectation() }
    }

    // MARK: - Without an expectation

    private func readingInspector(
        _ pairs: [RSAKeyPair]?,
        _ dialect: Dialect? = nil
    ) -> ContentInspector {
        let opener = pairs.map { ContentOpener(keys: $0) }
        return ContentInspector(
            ContentCheck(dialect: dialect, opener: opener),
            counters: CounterBlock()
        )
    }

    @Test(arguments: Dialect.allCases)
    func readsTheSamplesOfAllDialects(_ dialect: Dialect) throws {
        let payload = try #require(MessageSource(bytes: dialect.sampleMessage).compile().payload)
        for given in [dialect, nil] {
            let inspector = readingInspector(nil, given)
            for variant in 0..<payload.variantCount {
                #expect(inspector.names(Self.english, payload.body(variant: variant)) == [])
            }
        }
    }

    @Test func opensContentsWithWhicheverKeyFits() throws {
        let fixture = try ContentFixture(ContentFixture.salesforce)
        let body = try fixture.sealed(variant: 0, uid: 0, key: 1, .oaepSHA256)
        let all = readingInspector(fixture.pairs)
        #expect(all.names(Self.english, body) == [])
        #expect(all.names(Self.english, body) == ["reused_secret"])
        let other = readingInspector([fixture.pairs[0]])
        #expect(other.names(Self.english, body) == ["not_decryptable"])
        #expect(readingInspector(nil).names(Self.english, body) == ["no_private_key"])
    }

    @Test(arguments: ["[]", "{", "", #"{"encrypted":true}"#, #"{"encrypted":true,"secret":""}"#])
    func tellsWhatNoSDKReads(_ body: String) {
        #expect(readingInspector(nil).names(Self.english, Array(body.utf8)) == ["unreadable"])
    }

    // MARK: - Counting

    @Test func countsFaultsAndKeepsTheFirstFew() throws {
        let fixture = try ContentFixture()
        let check = ContentCheck(expectation: try fixture.expectation())
        let statistics = MockStatistics(loops: 1, reasons: ReasonTable(), content: check)
        let inspector = ContentInspector(check, counters: statistics.blocks[0])
        let body = String(decoding: fixture.plain(variant: 1, uid: 0), as: UTF8.self)
        let token = String(decoding: Self.english, as: UTF8.self)
        for _ in 0..<30 { PushRequest(token: token, body: body).withView { inspector.inspect($0) } }
        let counts = statistics.counts()
        #expect(counts.contentChecked == 30)
        #expect(counts.contentFaults(.wrongLanguage) == 30)
        #expect(counts.contentFaults(.duplicateInstall) == 29)
        #expect(counts.contentFaults(.wrongText) == 0)
        #expect(counts.contentFaultExamples.count == ContentCheck.mostExamples)
        #expect(
            counts.json.contains(#""contentFaults":{"duplicate_install":29,"wrong_language":30}"#)
        )
        #expect(counts.json.contains(#"[{"fault":"wrong_language","token":"abababab"},"#))
        #expect(!counts.json.contains("Hallo") && !counts.json.contains(token))
        statistics.reset()
        #expect(statistics.counts().contentFaults.isEmpty)
        #expect(statistics.counts().contentFaultExamples.isEmpty)
        // What arrived is forgotten too.
        PushRequest(token: token, body: body).withView { inspector.inspect($0) }
        #expect(statistics.counts().contentFaults(.duplicateInstall) == 0)
    }

    @Test func findsEveryTokenAndNoOther() throws {
        let table = InstallTable()
        var numbers = SplitMix64(seed: 5)
        var tokens: [[UInt8]] = []
        for _ in 0..<5000 {
            let word = String(numbers.next(), radix: 16)
            // Lengths that fill words and lengths that do not.
            let token = Array((word.count.isMultiple(of: 2) ? word : word + "0").utf8)
            tokens.append(token)
            try table.append(
                token: token.span.bytes,
                languageIndex: 0,
                environment: .production,
                badge: nil,
                uid: RawSpan()
            )
        }
        let index = TokenIndex(table)
        #expect(index.repeatedTokens == 0)
        for (install, token) in tokens.enumerated() {
            #expect(index.install(withToken: token.span.bytes) == install)
            let longer = token + Array("00".utf8)
            #expect(index.install(withToken: longer.span.bytes) == nil)
        }
    }

    @Test func eachInstallArrivesFirstOnceWhateverTheThreads() {
        let map = ArrivalMap(count: 1000)
        let firsts = Atomic(0)
        DispatchQueue.concurrentPerform(iterations: 4) { _ in
            for install in 0..<1000 where map.note(install) { firsts.add(1, ordering: .relaxed) }
        }
        #expect(firsts.load(ordering: .relaxed) == 1000)
    }
}

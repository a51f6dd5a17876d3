import PushInstalls
import Testing

@Suite struct LanguageMixTests {
    @Test func readsLanguagesAndSharesInOrder() throws {
        let mix = try LanguageMix("en=60,tr=20,de-DE=15,zh-Hant-TW=5")
        #expect(mix.entries.map(\.language) == ["en", "tr", "de-DE", "zh-Hant-TW"])
        #expect(mix.entries.map(\.share) == [60_000_000, 20_000_000, 15_000_000, 5_000_000])
    }

    @Test(arguments: [
        ("en=1", "en=1"),
        (" en = 60 ,\ttr=40", "en=60,tr=40"),
        ("en=0.5,tr=0.25", "en=0.5,tr=0.25"),
        ("en=99.999999,none=0.000001", "en=99.999999,none=0.000001"),
        ("en=1000000", "en=1000000"),
        ("en=1,EN=2", "en=1,EN=2"),
        ("de_DE.UTF-8@euro=5", "de_DE.UTF-8@euro=5"),
        ("tr=0,en=007", "tr=0,en=7"),
    ])
    func writesWhatItReads(written: String, canonical: String) throws {
        let mix = try LanguageMix(written)
        #expect(mix.description == canonical)
        #expect(try LanguageMix(mix.description) == mix)
    }

    @Test func namesInstallsWithoutALanguageNone() throws {
        #expect(try LanguageMix("none=5").entries.map(\.language) == [""])
    }

    @Test(arguments: [
        ("", LanguageMixError.notAPair("")),
        ("en", .notAPair("en")),
        ("en=60,", .notAPair("")),
        ("en=60;tr=40", .malformedShare(language: "en", share: "60;tr=40")),
        ("=5", .missingName("=5")),
        ("en=60, =5", .missingName(" =5")),
        ("en=sixty", .malformedShare(language: "en", share: "sixty")),
        ("en=", .malformedShare(language: "en", share: "")),
        ("en=-1", .malformedShare(language: "en", share: "-1")),
        ("en=1e3", .malformedShare(language: "en", share: "1e3")),
        ("en=.5", .malformedShare(language: "en", share: ".5")),
        ("en=5.", .malformedShare(language: "en", share: "5.")),
        ("en=1000001", .malformedShare(language: "en", share: "1000001")),
        ("en=0.0000001", .malformedShare(language: "en", share: "0.0000001")),
        (
            "en=99999999999999999999999",
            .malformedShare(
                language: "en",
                share: "99999999999999999999999"
            )
        ),
        ("tr-=1", .malformedLanguage("tr-")),
        ("türkçe=1", .malformedLanguage("türkçe")),
        ("en@\"=1", .malformedLanguage("en@\"")),
        ("en=1,tr=1,en=2", .repeatedLanguage("en")),
        ("en=0,tr=0.0", .nothingToShare),
    ])
    func refusesWhatIsNoMix(written: String, error: LanguageMixError) {
        #expect(throws: error) { try LanguageMix(written) }
    }

    @Test(arguments: [
        (LanguageMixError.notAPair("en"), "'en'"),
        (.missingName("=5"), "none=SHARE"),
        (.malformedShare(language: "tr", share: "x"), "'tr'"),
        (.repeatedLanguage("sv"), "'sv'"),
    ])
    func errorsNameTheThing(error: LanguageMixError, part: String) {
        #expect(error.description.contains(part))
    }
}

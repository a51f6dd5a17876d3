import PushModel
import Testing

/// Language tags (contract 5.4, 11 `c-lang-tag`).
@Suite struct LanguageTagTests {
    @Test(arguments: [
        ("tr", "tr"), ("TR_tr", "tr-tr"), ("zh-Hant-TW", "zh-hant-tw"), (" en\t", "en"),
        ("\r\nen\n", "en"), ("de_DE.UTF-8", "de-de"), ("ca@valencia", "ca"),
        ("sr_RS@latin.x", "sr-rs"),
        ("en.a@b", "en"), ("abcdefgh-12345678", "abcdefgh-12345678"), ("i-klingon", "i-klingon"),
        ("en-u-ca-buddhist", "en-u-ca-buddhist"), ("a", "a"), ("en-1", "en-1"),
    ])
    func normalises(_ tag: String, _ expected: String) {
        #expect(LanguageTag.normalized(tag) == expected)
    }

    @Test(arguments: [
        "", " ", "-", "tr-", "-tr", "tr--TR", "abcdefghi", "en-abcdefghi", "1n", "e1", "tür",
        "en tr",
        "tr @x", "@x", ".UTF-8", "\u{A0}en", "en\u{0}", "en-ü", "e n", "en/tr", "\u{B}en",
    ])
    func refuses(_ tag: String) {
        #expect(LanguageTag.normalized(tag) == nil)
    }

    @Test(arguments: [
        ("tr", ["tr"]), ("zh-hant-tw", ["zh-hant-tw", "zh-hant", "zh"]),
        ("en-us-u-ca-buddhist", ["en-us-u-ca-buddhist", "en-us-u-ca", "en-us", "en"]),
        ("en-x-y-z1", ["en-x-y-z1", "en"]), ("i-klingon", ["i-klingon"]),
        ("de-1996-x-a", ["de-1996-x-a", "de-1996", "de"]), ("x", ["x"]),
    ])
    func triesShorterTags(_ tag: String, _ candidates: [String]) {
        #expect(LanguageTag.lookupCandidates(for: tag) == candidates)
    }

    @Test func aliasesAreNormalised() {
        for (tag, alias) in LanguageTag.aliases {
            #expect(LanguageTag.normalized(tag) == tag)
            #expect(LanguageTag.normalized(alias) == alias)
            // No chain: an alias leads to a tag, not to another alias.
            #expect(LanguageTag.aliases[alias] == nil)
        }
        #expect(LanguageTag.aliases.count == 8)
    }
}

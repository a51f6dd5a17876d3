import Testing

@testable import MockAPNs

/// What looks like a provider token is found wherever it stands, and nothing else is.
@Suite struct ProviderTokenFinderTests {
    private static let head = "eyJhbGciOiJFUzI1NiIsImtpZCI6IkFCQ0RFRkdISUoifQ"
    private static let claims = "eyJpc3MiOiJBQkNERUZHSElKIiwiaWF0IjoxNzAwMDAwMDAwfQ"
    private static let signature = "MEUCIQDx_-9w3yqvI6Zp0bM0mQ4q"
    private static let token = "\(head).\(claims).\(signature)"

    private func found(in text: String) -> [String] {
        let bytes = Array(text.utf8)
        return bytes.withUnsafeBytes { buffer in
            var found: [String] = []
            var start = 0
            while let range = ProviderTokenFinder.find(in: buffer, from: start) {
                found.append(String(decoding: buffer[range], as: UTF8.self))
                start = range.upperBound
            }
            return found
        }
    }

    @Test(arguments: [
        "", "bearer ", "Bearer\t", "{\"jwt\":\"", "/3/device/", "a.b.", "token_", "x", "1.2.3.4 ",
        "ü",
    ])
    func aTokenIsFoundBehindAnything(prefix: String) {
        #expect(found(in: prefix + Self.token) == [Self.token])
        #expect(
            found(in: "\(prefix)\(Self.token)\" \(prefix)\(Self.token)") == [
                Self.token, Self.token,
            ]
        )
    }

    @Test(arguments: [
        // Blanks and line breaks in the objects, as other writers of JSON put them.
        "eyAiYWxnIjogIkVTMjU2IiB9.eyAiaXNzIjogIkFCQ0RFRkciIH0.c2ln",
        "ewogImFsZyI6ICJFUzI1NiIgfQ.ewogImlzcyI6ICJBQkNERUZHIiB9.c2ln",
        "ew0KICJhbGciOiAiRVMyNTYiIH0.ewkiaXNzIjogIkFCQ0RFRkciIH0.c2ln",
        // Cut off behind the claims: the signature is what is secret, and nobody knows.
        "\(head).\(claims).",
    ])
    func otherWritersTokensAreFound(token: String) {
        #expect(found(in: "<\(token)>") == [token])
    }

    @Test(arguments: [
        "", ".", "..", "a.b.c", "www.example-of-a-long-host.example-of-a-domain.com",
        "eyJ.eyJ.eyJ", "\(head).\(claims)", "\(head)", "\(head)..\(signature)",
        "https://example.com/eyJhbGciOiJFUzI1NiIs/1.html",
        String(repeating: ".", count: 1000), String(repeating: "e", count: 1000),
    ])
    func nothingElseIsFound(text: String) {
        #expect(found(in: text) == [])
    }
}

// What a client shows who it is with: provider tokens, certificates' extensions, public keys and the
// base64 around them.

@testable import MockAPNs
@testable import NetIO
@testable import PushCrypto

private let verifier = ProviderTokenVerifier()

/// Runs one input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzTokens(_ start: UnsafeRawPointer, _ count: Int) -> CInt {
    var input = FuzzInput(start, count)
    let choice = input.byte()
    var bytes = input.all()
    if choice & 1 == 1 {
        // Three parts that are base64url, so that what is inside is reached.
        let parts = bytes.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false)
        let texts = parts.map { Base64URL.encode(Array($0)) } + [Base64URL.encode(signature)]
        bytes = Array(texts.joined(separator: ".").utf8)
    }
    bytes.withSpan { text in
        if case .valid(let key, let team, _) = verifier.verify(text) {
            precondition(key.utf8.count == 10 && team.utf8.count == 10, "no identifiers of Apple")
        }
        if let decoded = Base64URL.decode(text) {
            precondition(Array(Base64URL.encode(decoded).utf8) == bytes, "not the same base64url")
        }
        if let decoded = Base64.decodeStrictly(text) {
            precondition(decoded.count <= bytes.count, "more bytes than digits")
        }
    }
    bytes.withUnsafeBytes { text in
        _ = PeerCertificate.topics(inDER: text)
        _ = try? PublicKey(der: text)
        _ = try? PublicKey(base64: text)
        var start = 0
        while let found = ProviderTokenFinder.find(in: text, from: start) {
            precondition(found.lowerBound >= start && !found.isEmpty, "a token before its search")
            precondition(found.upperBound <= text.count, "a token past the end")
            start = found.upperBound
        }
    }
    return 0
}

private let signature = [UInt8](repeating: 7, count: 64)

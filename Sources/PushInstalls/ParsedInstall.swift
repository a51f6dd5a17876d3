import PushCrypto
import PushModel

/// One install as a line gives it, checked; its bytes lie in the reader's buffer.
struct ParsedInstall {
    var token = UnsafeRawBufferPointer(start: nil, count: 0)
    var language = UnsafeRawBufferPointer(start: nil, count: 0)
    var environment = APNsEnvironment.production
    var badge: Int64?
    var uid = UnsafeRawBufferPointer(start: nil, count: 0)
    var key: InstallKey?
}

/// The public key of a line, and how secrets are wrapped under it.
struct InstallKey {
    var publicKey: PublicKey
    var padding: WrapPadding
}

/// The rules for the values of an install (contract 1.7, 10.3, 11 `c-badge-install`).
enum InstallRules {
    /// The longest language string that is looked at; the longest tag in use is far below.
    static let longestLanguage = 255

    static func checkToken(_ text: UnsafeRawBufferPointer) throws(LineProblem) {
        if let offset = DeviceToken.firstNonDigit(in: text) {
            throw .tokenCharacter(offset: offset, first: text[0])
        }
        guard DeviceToken.digitCounts.contains(text.count), text.count.isMultiple(of: 2) else {
            throw .tokenLength(text.count)
        }
    }

    static func checkLanguage(_ text: UnsafeRawBufferPointer) throws(LineProblem) {
        guard text.count <= longestLanguage else {
            throw .tooLong(.language, limit: longestLanguage)
        }
    }

    static func checkUID(_ text: UnsafeRawBufferPointer) throws(LineProblem) {
        guard text.count <= Int(UInt16.max) else { throw .tooLong(.uid, limit: Int(UInt16.max)) }
    }

    /// An empty text stands for production, as an empty CSV column does.
    static func environment(
        _ text: UnsafeRawBufferPointer
    ) throws(LineProblem) -> APNsEnvironment {
        if text.isEmpty || matches(text, "production") { return .production }
        guard matches(text, "sandbox") else { throw .environment }
        return .sandbox
    }

    /// Reads a badge written in decimal digits; the text is not empty.
    static func badge(_ text: UnsafeRawBufferPointer) throws(LineProblem) -> Int64 {
        let isNegative = text[0] == UInt8(ascii: "-")
        guard text.count > (isNegative ? 1 : 0) else { throw .badgeText }
        var value: Int64 = 0
        var overflows = false
        for offset in (isNegative ? 1 : 0)..<text.count {
            let byte = text[offset]
            guard byte >= 0x30, byte <= 0x39 else { throw .badgeText }
            let (product, wide) = value.multipliedReportingOverflow(by: 10)
            let (sum, wider) = product.addingReportingOverflow(Int64(byte &- 0x30))
            overflows = overflows || wide || wider
            value = sum
        }
        // As in a JSON number, -0 is 0.
        if isNegative && (overflows || value != 0) { throw .badgeNegative }
        if overflows { throw .badgeRange }
        return value
    }

    /// Reads public key and cipher; a cipher is checked without a key too (contract 11
    /// `c-sf-empty-key`).
    static func key(
        _ publicKey: UnsafeRawBufferPointer,
        cipherName: UnsafeRawBufferPointer
    ) throws(LineProblem) -> InstallKey? {
        var key: PublicKey?
        if !publicKey.isEmpty {
            do throws(PublicKeyFault) {
                key = try PublicKey(base64: publicKey)
            } catch { throw .publicKey(error) }
        }
        guard let padding = WrapPadding(cipherName: cipherName) else { throw .cipherName }
        return key.map { InstallKey(publicKey: $0, padding: padding) }
    }

    private static func matches(_ text: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
        guard text.count == word.utf8CodeUnitCount else { return false }
        return text.elementsEqual(
            UnsafeRawBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        )
    }
}

import PushCrypto
import PushModel

/// The fields of one install that a body depends on, read from a JSON object (design 4).
struct InstallFields: Sendable {
    /// Stands before the paths of an install's faults.
    private static let pathPrefix = "install"

    private(set) var token: String?
    private(set) var language: String?
    private(set) var environment = APNsEnvironment.production
    private(set) var badge: Int64?
    private(set) var uid: String?
    /// The key that the body is encrypted for; nil for none, and in dialects that do not encrypt.
    private(set) var publicKey: PublicKey?
    private(set) var padding = WrapPadding.pkcs1

    /// Reads an install; unknown keys are ignored.
    ///
    /// - Parameters:
    ///   - bytes: The install's JSON text.
    ///   - dialect: The message's dialect, which may need fields; nil where it is not known.
    ///   - faults: Where faults go, in the order of the columns.
    init(_ bytes: [UInt8], for dialect: Dialect?, _ faults: inout FaultList) {
        switch JSONDocument.parse(bytes) {
        case .faults(let found):
            for fault in found {
                var fault = fault
                fault.path =
                    fault.path.isEmpty ? Self.pathPrefix : "\(Self.pathPrefix).\(fault.path)"
                faults.append([fault])
            }
        case .value(.object(let object)):
            read(FieldReader(object, at: Self.pathPrefix), dialect, &faults)
        case .value(let value):
            let message = "an install is one JSON object, not \(value.kind)"
            faults.add(.wrongType, at: Self.pathPrefix, message)
        }
    }

    private mutating func read(
        _ reader: FieldReader,
        _ dialect: Dialect?,
        _ faults: inout FaultList
    ) {
        token = Self.token(from: reader, &faults)
        language = reader.string("language", &faults)
        let words = APNsEnvironment.allCases.map(\.rawValue)
        if let word = reader.choice("environment", of: words, &faults) {
            environment = APNsEnvironment(rawValue: word) ?? .production
        }
        switch reader.integer("badge", atLeast: 0, &faults) {
        case .integer(let value): badge = value
        case .unsigned:
            let message = "badge must be \(Int64.max) or less"
            faults.add(.outOfRange, at: reader.path(of: "badge"), message)
        default: break
        }
        if dialect?.needsInstallUID ?? false { reader.requireField("uid", &faults) }
        uid = reader.string("uid", &faults)
        let keyText = reader.string("publicKey", &faults)
        let cipherName = reader.string("cipherName", &faults)
        if dialect?.encrypts ?? false {
            readKey(keyText ?? "", from: reader, &faults)
            readCipher(cipherName ?? "", from: reader, &faults)
        }
        _ = reader.string("id", &faults)
    }

    /// Reads the key's text, of which an empty one is none (contract 11 `c-sf-empty-key`).
    private mutating func readKey(
        _ text: String,
        from reader: FieldReader,
        _ faults: inout FaultList
    ) {
        guard !text.isEmpty else { return }
        do throws(PublicKeyFault) {
            publicKey = try PublicKey(base64: Array(text.utf8).span.bytes)
        } catch {
            faults.add(.invalidPublicKey, at: reader.path(of: "publicKey"), error.description)
        }
    }

    private mutating func readCipher(
        _ name: String,
        from reader: FieldReader,
        _ faults: inout FaultList
    ) {
        if let known = Array(name.utf8).withUnsafeBytes({ WrapPadding(cipherName: $0) }) {
            padding = known
            return
        }
        let message =
            "cipherName must be \(WrapPadding.oaepName), or empty for PKCS#1 v1.5, not \"\(name)\""
        faults.add(.unsupportedCipher, at: reader.path(of: "cipherName"), message)
    }

    /// Adds the faults of a missing install.
    static func checkMissing(for dialect: Dialect?, _ faults: inout FaultList) {
        guard let dialect, dialect.needsInstallUID else { return }
        let message = "a body of \(dialect.rawValue) holds the install's uid; give an install"
        faults.add(.missingField, at: "\(pathPrefix).uid", message)
    }

    private static func token(from reader: FieldReader, _ faults: inout FaultList) -> String? {
        let name = "token"
        if reader.value(name) == nil {
            let message = "an install needs a token; give the device token's hex digits"
            faults.add(.missingField, at: reader.path(of: name), message)
        }
        guard let token = reader.string(name, &faults) else { return nil }
        let digits = Array(token.utf8)
        if !DeviceToken.isValid(digits.span.bytes) {
            let counts = DeviceToken.digitCounts
            let message =
                "a device token is an even number of hex digits, \(counts.lowerBound) to "
                + "\(counts.upperBound)"
            faults.add(.invalidToken, at: reader.path(of: name), message)
        }
        return token
    }
}

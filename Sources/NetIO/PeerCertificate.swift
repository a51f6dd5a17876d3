import COpenSSL
import CShims

/// The certificate that a peer showed in the TLS handshake.
public struct PeerCertificate: Equatable, Sendable {
    /// The certificate in DER.
    public let der: [UInt8]
    /// The subject in RFC 2253 form.
    public let subject: String
    /// The subject's UID, in which Apple's push certificates hold the topic; nil without one.
    public let userID: String?

    /// The topics that Apple lists in the extensions 1.2.840.113635.100.6.3.6 and 1.2.840.113635.100.6.3.4
    /// (contract 1.3), each once; empty where the certificate has neither.
    public let topics: [String]
    /// Whether Apple's extension for the development environment (1.2.840.113635.100.6.3.1) is in it.
    public let isForDevelopment: Bool
    /// Whether Apple's extension for the production environment (1.2.840.113635.100.6.3.2) is in it.
    public let isForProduction: Bool
    /// Why the trusted authorities do not vouch for it; nil where they do, or nobody asked them.
    public let rejection: String?

    /// Copies out of `certificate`, which stays the caller's.
    init?(_ certificate: OpaquePointer, verifyResult: Int) {
        var start: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &start)
        guard count > 0, let start else { return nil }
        der = Array(UnsafeBufferPointer(start: start, count: Int(count)))
        CRYPTO_free(start, #fileID, #line)
        guard let name = X509_get_subject_name(certificate) else { return nil }
        subject = Self.text(of: name)
        userID = Self.userID(in: name)
        topics = Self.topics(in: certificate)
        isForDevelopment = Self.value(of: .development, in: certificate) != nil
        isForProduction = Self.value(of: .production, in: certificate) != nil
        rejection =
            verifyResult == Int(X509_V_OK)
            ? nil : String(cString: X509_verify_cert_error_string(verifyResult))
    }

    private static func text(of name: OpaquePointer) -> String {
        guard let bio = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(bio) }
        return cps_x509_name_print(bio, name) ? bioText(bio) : ""
    }

    private static func userID(in name: OpaquePointer) -> String? {
        let index = X509_NAME_get_index_by_NID(name, NID_userId, -1)
        guard index >= 0, let entry = X509_NAME_get_entry(name, index) else { return nil }
        var bytes: UnsafeMutablePointer<UInt8>?
        let count = ASN1_STRING_to_UTF8(&bytes, X509_NAME_ENTRY_get_data(entry))
        guard count >= 0, let bytes else { return nil }
        defer { CRYPTO_free(bytes, #fileID, #line) }
        return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
    }
}

extension PeerCertificate {
    /// Apple's extensions, by their object identifiers.
    private enum Extension: String {
        case development = "1.2.840.113635.100.6.3.1"
        case production = "1.2.840.113635.100.6.3.2"
        case voipTopics = "1.2.840.113635.100.6.3.4"
        case topics = "1.2.840.113635.100.6.3.6"
    }

    private static func topics(in certificate: OpaquePointer) -> [String] {
        [Extension.topics, .voipTopics].reduce(into: []) { all, kind in
            guard let der = value(of: kind, in: certificate) else { return }
            for topic in topics(inDER: der) where !all.contains(topic) { all.append(topic) }
        }
    }

    /// The value of an extension, which stays the certificate's; nil where it has no such extension.
    private static func value(
        of kind: Extension,
        in certificate: OpaquePointer
    ) -> UnsafeRawBufferPointer? {
        guard let object = OBJ_txt2obj(kind.rawValue, 1) else { return nil }
        defer { ASN1_OBJECT_free(object) }
        let index = X509_get_ext_by_OBJ(certificate, object, -1)
        guard index >= 0, let found = X509_get_ext(certificate, index),
            let value = X509_EXTENSION_get_data(found), let start = ASN1_STRING_get0_data(value)
        else { return nil }
        return UnsafeRawBufferPointer(start: start, count: Int(ASN1_STRING_length(value)))
    }

    /// The UTF8Strings of a SEQUENCE that holds each topic followed by a SEQUENCE of its kinds.
    static func topics(inDER der: UnsafeRawBufferPointer) -> [String] {
        var topics: [String] = []
        guard let outer = element(of: der[...]), outer.tag == V_ASN1_SEQUENCE else { return [] }
        var rest = outer.content
        while let member = element(of: rest) {
            if member.tag == V_ASN1_UTF8STRING {
                topics.append(String(decoding: member.content, as: UTF8.self))
            }
            rest = rest[member.content.endIndex...]
        }
        return topics
    }

    /// The DER element at the start of `der`; nil at the end, or where it is not whole.
    private static func element(
        of der: Slice<UnsafeRawBufferPointer>
    ) -> (tag: CInt, content: Slice<UnsafeRawBufferPointer>)? {
        guard let start = UnsafeRawBufferPointer(rebasing: der).baseAddress, !der.isEmpty else {
            return nil
        }
        var next: UnsafePointer<UInt8>? = start.assumingMemoryBound(to: UInt8.self)
        var count = 0
        var tag: CInt = 0
        var family: CInt = 0
        ERR_clear_error()
        let form = ASN1_get_object(&next, &count, &tag, &family, der.count)
        // Bit 7 says that it is broken, bit 0 that its length is not told.
        guard form & 0x81 == 0, family == V_ASN1_UNIVERSAL, let next else {
            ERR_clear_error()
            return nil
        }
        let first = der.startIndex + (UnsafeRawPointer(next) - start)
        return (tag, der[first..<first + count])
    }
}

/// What a memory BIO holds, as text.
func bioText(_ bio: OpaquePointer) -> String {
    var start: UnsafePointer<CChar>?
    let count = cps_bio_memory(bio, &start)
    guard let start else { return "" }
    return start.withMemoryRebound(to: UInt8.self, capacity: count) {
        String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
    }
}

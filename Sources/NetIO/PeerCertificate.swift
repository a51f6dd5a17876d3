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

    /// The topics that Apple lists in a certificate of several (contract 1.3: the extension
    /// 1.2.840.113635.100.6.3.6); empty where it has no such extension.
    public let topics: [String]

    /// Copies out of `certificate`, which stays the caller's.
    init?(_ certificate: OpaquePointer) {
        var start: UnsafeMutablePointer<UInt8>?
        let count = i2d_X509(certificate, &start)
        guard count > 0, let start else { return nil }
        der = Array(UnsafeBufferPointer(start: start, count: Int(count)))
        CRYPTO_free(start, #fileID, #line)
        guard let name = X509_get_subject_name(certificate) else { return nil }
        subject = Self.text(of: name)
        userID = Self.userID(in: name)
        topics = Self.topics(in: certificate)
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
    private static func topics(in certificate: OpaquePointer) -> [String] {
        guard let kind = OBJ_txt2obj("1.2.840.113635.100.6.3.6", 1) else { return [] }
        defer { ASN1_OBJECT_free(kind) }
        let index = X509_get_ext_by_OBJ(certificate, kind, -1)
        guard index >= 0, let found = X509_get_ext(certificate, index),
            let value = X509_EXTENSION_get_data(found), let start = ASN1_STRING_get0_data(value)
        else { return [] }
        return topics(
            inDER: UnsafeRawBufferPointer(start: start, count: Int(ASN1_STRING_length(value)))
        )
    }

    /// The UTF8Strings of a SEQUENCE that holds each topic followed by a SEQUENCE of its kinds.
    static func topics(inDER der: UnsafeRawBufferPointer) -> [String] {
        var topics: [String] = []
        guard let outer = element(of: der, at: 0), outer.tag == 0x30 else { return [] }
        let members = UnsafeRawBufferPointer(rebasing: der[outer.content])
        var next = 0
        while let member = element(of: members, at: next) {
            if member.tag == 0x0C {
                topics.append(String(decoding: members[member.content], as: UTF8.self))
            }
            next = member.content.upperBound
        }
        return topics
    }

    /// The DER element at `offset`; nil at the end, or where it is not whole.
    private static func element(
        of der: UnsafeRawBufferPointer,
        at offset: Int
    ) -> (tag: UInt8, content: Range<Int>)? {
        guard offset + 2 <= der.count else { return nil }
        var start = offset + 2
        var count = Int(der[offset + 1])
        if count >= 0x80 {
            let lengthCount = count - 0x80
            guard (1...3).contains(lengthCount), start + lengthCount <= der.count else {
                return nil
            }
            count = der[start..<start + lengthCount].reduce(0) { $0 << 8 | Int($1) }
            start += lengthCount
        }
        guard start + count <= der.count else { return nil }
        return (der[offset], start..<start + count)
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

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

/// What a memory BIO holds, as text.
func bioText(_ bio: OpaquePointer) -> String {
    var start: UnsafePointer<CChar>?
    let count = cps_bio_memory(bio, &start)
    guard let start else { return "" }
    return start.withMemoryRebound(to: UInt8.self, capacity: count) {
        String(decoding: UnsafeBufferPointer(start: $0, count: count), as: UTF8.self)
    }
}

import COpenSSL
import CShims

extension TLSIdentity {
    /// Makes a new P-256 key and a certificate for it, signed by itself.
    ///
    /// Valid from yesterday for 30 days. ``certificatePEM`` is the CA file for its clients.
    ///
    /// - Parameter names: The host names and IP addresses that it holds, at least one.
    /// - Returns: The identity.
    /// - Throws: ``NetIOError/openSSL(purpose:detail:)``.
    public static func selfSigned(names: [String]) throws(NetIOError) -> TLSIdentity {
        try selfSigned(names: names, validDays: -1..<29)
    }

    /// The same, valid for the days given, counted from now.
    static func selfSigned(
        names: [String],
        validDays: Range<Int>
    ) throws(NetIOError) -> TLSIdentity {
        let purpose = "make a certificate"
        let alternatives = try alternativeNames(names)
        ERR_clear_error()
        guard let key = cps_make_p256_key() else {
            throw .openSSL(purpose: purpose, detail: takeOpenSSLErrors())
        }
        guard let certificate = X509_new() else {
            EVP_PKEY_free(key)
            throw .openSSL(purpose: purpose, detail: takeOpenSSLErrors())
        }
        let identity = TLSIdentity(IdentityHandles(certificate: certificate, key: key, chain: []))
        guard fill(certificate, key: key, commonName: names[0], validDays: validDays),
            add(NID_subject_alt_name, alternatives, to: certificate),
            add(NID_basic_constraints, "critical,CA:FALSE", to: certificate),
            add(NID_ext_key_usage, "serverAuth,clientAuth", to: certificate),
            X509_sign(certificate, key, EVP_sha256()) > 0
        else { throw .openSSL(purpose: purpose, detail: takeOpenSSLErrors()) }
        return identity
    }

    /// The subjectAltName in OpenSSL's notation, whose separators no name may hold.
    private static func alternativeNames(_ names: [String]) throws(NetIOError) -> String {
        guard !names.isEmpty else {
            throw .openSSL(purpose: "make a certificate", detail: "it needs a name")
        }
        var parts: [String] = []
        for name in names.map(bareHost) {
            if isIPAddress(name) {
                parts.append("IP:\(name)")
                continue
            }
            let isPlain = name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
                    UInt8(ascii: "_"), UInt8(ascii: "*"):
                    true
                default: false
                }
            }
            guard isPlain, !name.isEmpty else {
                throw .openSSL(
                    purpose: "make a certificate",
                    detail: "\"\(name)\" is neither a host name nor an address"
                )
            }
            parts.append("DNS:\(name)")
        }
        return parts.joined(separator: ",")
    }

    private static func fill(
        _ certificate: OpaquePointer,
        key: OpaquePointer,
        commonName: String,
        validDays: Range<Int>
    ) -> Bool {
        let day = 86_400
        var serial: UInt64 = 0
        let isRandom = withUnsafeMutableBytes(of: &serial) { bytes in
            RAND_bytes(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), CInt(bytes.count))
        }
        // A common name takes 64 bytes at most; nobody reads it beside the alternative names.
        let name = X509_get_subject_name(certificate)
        let text = String(commonName.prefix(64))
        return isRandom == 1
            // Version 3 is written as 2.
            && X509_set_version(certificate, 2) == 1
            && ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1 | 1) == 1
            && X509_gmtime_adj(X509_getm_notBefore(certificate), validDays.lowerBound * day) != nil
            && X509_gmtime_adj(X509_getm_notAfter(certificate), validDays.upperBound * day) != nil
            && X509_set_pubkey(certificate, key) == 1
            && X509_NAME_add_entry_by_NID(
                name,
                NID_commonName,
                MBSTRING_UTF8,
                text,
                -1,
                -1,
                0
            ) == 1
            && X509_set_issuer_name(certificate, name) == 1
    }

    private static func add(
        _ kind: CInt,
        _ value: String,
        to certificate: OpaquePointer
    ) -> Bool {
        guard let made = X509V3_EXT_conf_nid(nil, nil, kind, value) else { return false }
        defer { X509_EXTENSION_free(made) }
        return X509_add_ext(certificate, made, -1) == 1
    }
}

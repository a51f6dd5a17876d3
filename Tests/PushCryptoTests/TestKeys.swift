/// Throwaway keys, made with openssl for these tests alone.
enum TestKeys {
    /// An EC key on P-256 in PKCS#8, as a .p8 file holds it.
    static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgDJUEJCwVqUAeKcAB
        STGrGr+3mpggeuEaaf1v1G1Xn0GhRANCAARQ4z9z/g34Q4sxpd8zNj8p+DKT/KLP
        tkWrn2Z79+5VfuBnuKqbFMQ49tfKGHFrEtINTl7JYpECYjOrF0nN55Bm
        -----END PRIVATE KEY-----
        """

    /// The same key in SEC 1.
    static let p256SEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIAyVBCQsFalAHinAAUkxqxq/t5qYIHrhGmn9b9RtV59BoAoGCCqGSM49
        AwEHoUQDQgAEUOM/c/4N+EOLMaXfMzY/Kfgyk/yiz7ZFq59me/fuVX7gZ7iqmxTE
        OPbXyhhxaxLSDU5eyWKRAmIzqxdJzeeQZg==
        -----END EC PRIVATE KEY-----
        """

    /// The same key, PKCS#8 encrypted with a password.
    static let encryptedPKCS8 = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiQq6R5+PPSqAICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEHQG66/PMPIwKqsQhMpl63UEgZDC
        L+DX6Psr2ug1+dg1ycOFeIfLchlF2UqkfjZpu6Ss8hOVDEpEmHROsEbVvRYgsVfP
        8xze1jgSd4Y1IXZswbN2XYSAQEG1UYhZxhQIVID5i2b9gSCOTt8K+0yP1JVXqgIn
        6p8PYQ/FTVItS4Z/eqqjQgqcxrjCxYSHz+YrNbv1Wkpdo6d0x2P+XjdknqIrkQA=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// The same key, SEC 1 encrypted with a password.
    static let encryptedSEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,6A5D60815108F2154903D56E9613424A

        FqzNDIH26pqiQQ7FKK1lqQBoSupgInn2p2oq5b4LOjHBfEfBVKdC2zD3yHgRvBAj
        WmgsHss3mxYhaETz/5t87txa8wkj3sY1NyXOt8831rcDpoha9nsV8K3LRO1bjmCZ
        JXLFfQoBrRh+WjwHHbSXz6lPzxD1YQdSWJ0r0Z+EGMU=
        -----END EC PRIVATE KEY-----
        """

    /// An EC key on P-384.
    static let p384 = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDBA2HHKaMss5unWMe+G
        rFCnAVSCwtN0wbynRpzVUmicJYKmaNLFOTwjne3nGsHkGV6hZANiAARm+rzX+OyS
        yYUBAh7EaykJWBV833CWKAzphjXyWLVhbhohwjI3TvFSyBKb0j3fu3CUrjQR4Iv0
        QyzTqNRjP7PPwRGAUgud4lNQ0P1ouzgurqIkOU+MoTxBJd9XgS/RxU0=
        -----END PRIVATE KEY-----
        """

    /// An Ed25519 key.
    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJy2nhn+pcwaktT7DqMn/KDjiOISm6ytaaTy18qNlH9G
        -----END PRIVATE KEY-----
        """

    /// An RSA public key.
    static let rsaPublic = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC1tuawbA8Xaw1EF3pG1FHQwNx9
        Z6OXXDPQ93Qy04H5Bbwb6m7fskXuWefUDQcsXpbRfv8E8SJhANVSN82G+0bADsV7
        YeFzYhyt3tMez1ZHXYPwH6jMXH+UIHcvm/ZYx/fJmPGVsACvQ87GMQXpLGoiB/5u
        a78qf01v+qhw1j2WxwIDAQAB
        -----END PUBLIC KEY-----
        """

    /// The public key of RFC 7515 appendix A.3.
    static let jwsExamplePublic = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEf83OJ3D2xF1Bg8vub9tLe1gHMzV7
        6e8Tus9uPHvRVEXH8UTNG72bfocs3+257rn0s2ldbqkLJK2KRiMohYjlrQ==
        -----END PUBLIC KEY-----
        """
}

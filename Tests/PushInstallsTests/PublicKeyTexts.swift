/// Public keys in base64, made by OpenSSL for these tests.
enum PublicKeyTexts {
    /// RSA-2048, exponent 65537, as devices register it.
    static let rsa2048 = """
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAodltkNjxH1JcAKcOJS4ve4LnW1/xfc4isIGpKd2p\
        mXpYjMj+wW9mIma5NRPezAUEuDgWnHZZA9M0IV56BmvasuCu9z2rsinQP03r4QHyHhLwtSKvYhbn0G7DGpLX\
        I2RWyE0JHV6MgBYfECPGB3SIEj5Z6pdLvUMv+CGIFaELpr2ZaOMOBfHrjGvkBuJqSXWGZciiarSoyujVJDN0\
        bFR8AFhGM5J3QZ4ojJCqy1sX9w3QIavZBhYv5FMiEYJKR8fCMqXy7E5sqyA8cCO73QuumEJCsNxsouQhPMw4\
        L28dtuMT7JNmfcIxTDxvd7jU2YB+eK+nuxc0+cDE5bvkMrmrqwIDAQAB
        """
    /// RSA-2048, exponent 3: its base64 ends with padding.
    static let exponent3 = """
        MIIBIDANBgkqhkiG9w0BAQEFAAOCAQ0AMIIBCAKCAQEAnspYg9SjwD4v//MaJ1SnZKgSK364hoJ27v/KVmZh\
        Jc2x1yWpIvJtRY2kWxK24kM4NbstNfx3KAAX2pO2O2o+l3jMXYaMG8oBG5Y4APFtJE5Z4GYp5CFujy+PpLhZ\
        rmJYhCyWM/I66nHOTsKfC4uGYVw7gt3QHjgYVvzP2iUkfRK9hLgbjSgRMQohpFp6zD9PtZAZRdugOX23RR9P\
        GQzPV3YEZI5FSe8+RKAUe4lRL7hquDZHA+bboOke5Fr1MQPVp2Nh+suA6q3zM/9gmvGfFX2E45xnNgHDbvYd\
        qdIzjGRibC1uQ56hXyNUy9vfJmpoBHFcjNlsM2TLYbNk4YvVbwIBAw==
        """
    /// An EC key on P-256.
    static let p256 = """
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEfTigomNIFRiKMwwTjgb44IF+jwFUEjw8CFU7ZIZBCC0YefGB\
        sCLJgOccG4uUTSyailikF7zurrneZlh0QINIrA==
        """
}

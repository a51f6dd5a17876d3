/// Public keys in base64, made by OpenSSL for the tests of all modules.
public enum PublicKeyTexts {
    /// RSA-2048, exponent 65537, as devices register it.
    public static let rsa2048 = """
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAodltkNjxH1JcAKcOJS4ve4LnW1/xfc4isIGpKd2p\
        mXpYjMj+wW9mIma5NRPezAUEuDgWnHZZA9M0IV56BmvasuCu9z2rsinQP03r4QHyHhLwtSKvYhbn0G7DGpLX\
        I2RWyE0JHV6MgBYfECPGB3SIEj5Z6pdLvUMv+CGIFaELpr2ZaOMOBfHrjGvkBuJqSXWGZciiarSoyujVJDN0\
        bFR8AFhGM5J3QZ4ojJCqy1sX9w3QIavZBhYv5FMiEYJKR8fCMqXy7E5sqyA8cCO73QuumEJCsNxsouQhPMw4\
        L28dtuMT7JNmfcIxTDxvd7jU2YB+eK+nuxc0+cDE5bvkMrmrqwIDAQAB
        """
    /// RSA-2048, exponent 3: its base64 ends with padding.
    public static let exponent3 = """
        MIIBIDANBgkqhkiG9w0BAQEFAAOCAQ0AMIIBCAKCAQEAnspYg9SjwD4v//MaJ1SnZKgSK364hoJ27v/KVmZh\
        Jc2x1yWpIvJtRY2kWxK24kM4NbstNfx3KAAX2pO2O2o+l3jMXYaMG8oBG5Y4APFtJE5Z4GYp5CFujy+PpLhZ\
        rmJYhCyWM/I66nHOTsKfC4uGYVw7gt3QHjgYVvzP2iUkfRK9hLgbjSgRMQohpFp6zD9PtZAZRdugOX23RR9P\
        GQzPV3YEZI5FSe8+RKAUe4lRL7hquDZHA+bboOke5Fr1MQPVp2Nh+suA6q3zM/9gmvGfFX2E45xnNgHDbvYd\
        qdIzjGRibC1uQ56hXyNUy9vfJmpoBHFcjNlsM2TLYbNk4YvVbwIBAw==
        """
    /// RSA-1024.
    public static let rsa1024 = """
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDDXGuPv1EbbEw7/Uq7fQjACemcIfL2IoT8U0a+5p6gqj11\
        spyXDgWKMaiX3JnI9+03li1e/uppbd5OKtAdHbJObIteMxF9klpSB6XIE/lcc6RsmKFHTNKFun94BZ/MCVYc\
        DSRAYCWgKuqt3/1HiC3cYyy56cd5AqeqMyIyO9gmHwIDAQAB
        """
    /// RSA-4096.
    public static let rsa4096 = """
        MIICIjANBgkqhkiG9w0BAQEFAAOCAg8AMIICCgKCAgEA0DjJIj2EaI3yEty8A8YPTWhyKOejlodZjWEdxgND\
        c7at8m6aoUobyHfiIEZLTHdR6dzoYbMwjo850TDUI9brXilgOIrw/GWiXetUf/kiE0ijoXQ95iUrzk8TEtdH\
        fhKPxRS7XxMiONXDV2RKSSujJfXhe2nlY2FKdeHl1dzZSSHBYsrT8leYrFbmv/etgtuhAQZIaIRYqj49nMsy\
        Elo4s9Qr7BQldR7q8uJusRdJMEpm22sEpwNEDCPANdNEA4i+5uZ1NxX5nn1Pbd3DbBp/Ypz6ic55eE8+fPHp\
        Z40s1lKD+By2YKxiX/P5yWAn3pOx8lsxLD4SSxaQ6Op/+wrBfHTSZo2rHMok5wHhtAQWJQXrNhMKGlr80Kwd\
        4Y6X7uzAwE/PH5dfi7SUo0+58BB8f4N+4GZlz5qLPENbcvHRmjzIAh9dG12t4R2I5vdYh8Bc7G4SlfymjjtO\
        NXPcY4zAOiv5D/aX/JskwqYX385pTP8aBnUltyI9kAvJ6LR6mk/3KLNBBeQeD771i5MVj+cF+uXLCCrHoCL7\
        jHcY2ZyFZkcfQo8UxHBupxcHSqtEZtm/9R6edtBi/HICpJQhYn/w4oKcXA9qg6s2//uPlYWnbABpc7ogK0ED\
        ZKFu0Am3qro9dAMB0PAAOr9VTd1CinFGs0xt3ceiokD+txIkJJxWbM8CAwEAAQ==
        """
    /// An EC key on P-256.
    public static let p256 = """
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEfTigomNIFRiKMwwTjgb44IF+jwFUEjw8CFU7ZIZBCC0YefGB\
        sCLJgOccG4uUTSyailikF7zurrneZlh0QINIrA==
        """
}

/// Throwaway identities made for these tests alone, valid from 2020 to 2120.
enum TestIdentities {
    /// A certificate for localhost and 127.0.0.1, signed by ``intermediate``.
    static let serverCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBYTCCAQagAwIBAgIUXh2Zaz11rMquCfImeFksLBe38A4wCgYIKoZIzj0EAwIw
        HDEaMBgGA1UEAwwRVGVzdCBJbnRlcm1lZGlhdGUwIBcNMjAwMTAxMDAwMDAwWhgP
        MjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABF0bNCWyTRnVc7AfTMqjExt0NIWZLOk9cj5TojvS23t6
        0SDL8ZgKJOILQuclH3Cf7u6GIZBuOCFE73lnGnsH4mmjLDAqMAwGA1UdEwEB/wQC
        MAAwGgYDVR0RBBMwEYIJbG9jYWxob3N0hwR/AAABMAoGCCqGSM49BAMCA0kAMEYC
        IQDNSk6cLPqPggyBZ5i0DAA4mKWuYlotdDIXDRzirHzziAIhAJQwG9KonVdL337h
        5nIFfV28UqCNXYI9XLqX/jrxAZ0M
        -----END CERTIFICATE-----
        """

    /// Its key.
    static let serverKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgXx0MEWjDTjs86fU0
        aeXLfsORakmKw1x+4PehMFPiVPChRANCAARdGzQlsk0Z1XOwH0zKoxMbdDSFmSzp
        PXI+U6I70tt7etEgy/GYCiTiC0LnJR9wn+7uhiGQbjghRO95Zxp7B+Jp
        -----END PRIVATE KEY-----
        """

    /// Its key, encrypted with a password.
    static let encryptedServerKey = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiPSAK64CLHugICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEAQIEELYS5v6LmgvJxMHLyJ7MAggEgZBT
        48RqCJsWwQQJaKVKIZabw0Tqx1gsAEoIoHNFI2cxyVS9vscOLyZGpvOKQAJ83do9
        j9LQC+oYCQkQrRvntGA3/5+Aa8qdBnaVcdUFX7SGrLv0mBw5czIuf/npMm2kJCeV
        ebbhxtRvErifMqnW5FBtXyciB87g+fv0JDNlIvsBG+Y5+/lVE1l1UHC7q9n4QPg=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// The authority between ``serverCertificate`` and ``root``.
    static let intermediate = """
        -----BEGIN CERTIFICATE-----
        MIIBRjCB7aADAgECAhQunSTldxiKXKxFfez3/GyFWIQp0DAKBggqhkjOPQQDAjAU
        MRIwEAYDVQQDDAlUZXN0IFJvb3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEw
        MDAwMDBaMBwxGjAYBgNVBAMMEVRlc3QgSW50ZXJtZWRpYXRlMFkwEwYHKoZIzj0C
        AQYIKoZIzj0DAQcDQgAEDjK+3yHQPisWbVFKd7A5zRvWadzoln8a2wCeahl8QNLB
        7fV5qEbHOze6YGdVod7jmyMhY1EIh8B8zYI9qGvkLqMTMBEwDwYDVR0TAQH/BAUw
        AwEB/zAKBggqhkjOPQQDAgNIADBFAiEAwPz8iCgWny81rg8uqvw/Khmc7/mDwYC/
        lQtlEuCQxPECIFE+9oKNL7dz9K0/E4BeXilvqzi6vPKqBJBoAK2we1nC
        -----END CERTIFICATE-----
        """

    /// The authority of ``intermediate``.
    static let root = """
        -----BEGIN CERTIFICATE-----
        MIIBPTCB5aADAgECAhQcnAiPlhixB16kugMgts9tlY2DyTAKBggqhkjOPQQDAjAU
        MRIwEAYDVQQDDAlUZXN0IFJvb3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEw
        MDAwMDBaMBQxEjAQBgNVBAMMCVRlc3QgUm9vdDBZMBMGByqGSM49AgEGCCqGSM49
        AwEHA0IABGHGr7g6FqiiUfVfoTuK/ntdf0Vf0Moy3X23BrW4yu5spLb6t4T5hKEj
        DaXYuqjfR+T8GY980XcFv5F2K3q7L0ajEzARMA8GA1UdEwEB/wQFMAMBAf8wCgYI
        KoZIzj0EAwIDRwAwRAIgI/px+YkuKjzstX8PGkFBJOajkvU/VSUWl6mO7xiJhHoC
        IEp9BfYEemkgwdJSIu7COqQpiWNU2m/GVymza9KewlPF
        -----END CERTIFICATE-----
        """

    /// A self-signed certificate with the subject and the topic extension of Apple's push certificates.
    static let pushCertificate = """
        -----BEGIN CERTIFICATE-----
        MIIBwzCCAWigAwIBAgIUa41ENWx4g9x1M6eNpJ9ht2jwojcwCgYIKoZIzj0EAwIw
        MzEfMB0GCgmSJomT8ixkAQEMD2NvbS5leGFtcGxlLmFwcDEQMA4GA1UEAwwHUHVz
        aCDDnDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowMzEfMB0GCgmS
        JomT8ixkAQEMD2NvbS5leGFtcGxlLmFwcDEQMA4GA1UEAwwHUHVzaCDDnDBZMBMG
        ByqGSM49AgEGCCqGSM49AwEHA0IABB23VHglsq5ikE4aGqiJIhzisSqG4HlvJQm0
        +o/EuKxDFKmMUZXSjeWlTKxzveWnU91UCDON28PC6vT59j4kYQSjWDBWMAwGA1Ud
        EwEB/wQCMAAwRgYKKoZIhvdjZAYDBgQ4MDYMD2NvbS5leGFtcGxlLmFwcDAFDANh
        cHAMFGNvbS5leGFtcGxlLmFwcC52b2lwMAYMBHZvaXAwCgYIKoZIzj0EAwIDSQAw
        RgIhALofVOKB0aGoOhfjW34Ts+/fWuXHFdi7x3okr6xlW4J4AiEArW8XbbVXVQZ4
        MlaEOMmbxdAq4sgqZEgf+rf/0P28r8Y=
        -----END CERTIFICATE-----
        """

    /// Its key.
    static let pushKey = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg3VfuL668+Ng1jgaJ
        L+UKouW2IA6yb6E3tdM77WPX1yqhRANCAAQdt1R4JbKuYpBOGhqoiSIc4rEqhuB5
        byUJtPqPxLisQxSpjFGV0o3lpUysc73lp1PdVAgzjdvDwur0+fY+JGEE
        -----END PRIVATE KEY-----
        """

    /// ``serverCertificate``, its key and ``intermediate``, encrypted with AES; base64, password `secret`.
    static let modernPKCS12 = """
        MIIFbAIBAzCCBSIGCSqGSIb3DQEHAaCCBRMEggUPMIIFCzCCA8IGCSqGSIb3DQEHBqCCA7MwggOv
        AgEAMIIDqAYJKoZIhvcNAQcBMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAi2QrDbTmIw
        XwICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEELuiLq+fqfRmCfUO7sMXIaCAggNAgY3M
        P+wkudDyHilz/fWuMwv1bfdUR0JawZNUh5KqUs1RSAmDurM5dKtWGcWB7snZbEUzKc5zgINNkr2M
        Abv/rv92QX27FSPGqNpyIWmkd8DeAR4yztRvV8sa1845eLzxOmrsYnbddh0cZTLXMEb03N3hH06R
        6YYJZUQN3bOpoVxG3meHkda1O24l7WgYoyALHqsf9jMQcxx7HmNDWvHfdHtU1yZ0qnyLJj/klFoI
        n2vTgX+LwIxYTzDVA/PtI6n5iaLICMFIC8oVDbfonM1fBs+vACo2o/34v5IKJxwblLospejF3jEG
        /LxJAJedjIJGW5G8B9m3TAIVM/+QeHYWPlp4j/PbpNluikzXN1c0cTdsLFleOI//QjdWl32R8Bh0
        S69/s5fDmTQYMejfTkp6tKPckRhxif6aUVFWTJYMWkDltaRzp5gxohDIM1VxYY9c7YrezJ+k7ljQ
        estQVxFwQWQgfgwB5jJ7XoJsmWyBJPwFKqJR15t2i4kazCeHwfuukKhQfjeZLQscWnHMW5Yo+Vv/
        YIxFB8ofIwRZakIg8zp9/bu2GDwruyKhGwhgYMgB0dop4BRewCXEjKhWOXGi0OZKnpwPFnPJkb9d
        YSe53rtmC6+U19Mtgo71/2nJZR9RCyIeDvaBBk0dkuKbGdLyDZeIJ2uYXG0g/OckeDozFf65BlIW
        AHCOPHmDpesG4DGMS2+jNRBYyimkDShzZ8cAUB1ZuXtiRSvw1mv2GanC1Ie8BeRaBSpmdTDAV4HL
        pIrlvG0i9YKaeMn/9dwW16OTurF4ePNL7YBFDtWSzVtvjrA1A2KhEzlXcn3xrrYhXQs8M21ZfXYa
        HiY0VxfO6OxZPsBQ4QIc2UoX4gEBkLnQ5EOHl2ajtRb546jvANnxq02POp5BMDfBdVheuLRPQ01R
        r5LDXpeEzmso0j6Bq369Xw1ZSm2iKhwMOhDV6id/V2D2MubecNfoXAIaUyxr/M0SfaSzpvz1TCKd
        VGX9lGJfZ6iABYgx4XjBe/WX2Kkz0OQ42lT/wHySbjTLuqS+sFcOZVKhiciaF6et3gXy9wyVYzGk
        2neRz8fSSXtz6Z4ool2zM6b26DHYcbIOaItdlCFIZjCCAUEGCSqGSIb3DQEHAaCCATIEggEuMIIB
        KjCCASYGCyqGSIb3DQEMCgECoIHvMIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAjJ
        1Dk5ae51OAICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEDYUTRn3ZdTSxCiM3PAnASgE
        gZBmdY6bfA4cdk5zWNGKkkfcdErqn2pZODQfaG4DDfQpvTSqK/4/yIIj7CIDyx2UOFHnAT/67M3r
        TvkqQcnC55KYXqrFLRP40Ve1nRF0jiW01dNoSfWOEQvrtawL1c4ta6mY2YcPlwiqWQMrBdNFMx2U
        QqsfVSw9oBzVHPC5043rMLpONc0QhQ96WYw+vVpTO+0xJTAjBgkqhkiG9w0BCRUxFgQUY68Ca6+L
        ycaeMY8ujer2yJfIKRAwQTAxMA0GCWCGSAFlAwQCAQUABCCOseuEr6FhOLO57BZ10CWZee4IWqbd
        VNW9c+6ZyRR5rQQIjqkxrTebQqkCAggA
        """

    /// The same encrypted with RC2, as keychains do it.
    static let legacyPKCS12 = """
        MIIE2gIBAzCCBKAGCSqGSIb3DQEHAaCCBJEEggSNMIIEiTCCA38GCSqGSIb3DQEHBqCCA3AwggNs
        AgEAMIIDZQYJKoZIhvcNAQcBMBwGCiqGSIb3DQEMAQYwDgQIRip4aviYqO0CAggAgIIDOM5IdwS7
        6FJBP5Z78UMzsA1xaVpVclUiV7lBAXiUtBrVQpwUmCbCWFu6p3zKeDDjW1rnb9KQjwykKwsgEJZ8
        2PlRQJbOPovKEFd6iG0etevMXdDR2Jcl4Z+p2u/W8HwEnUm7Ba2VW8sI9x5Ex7aOfC6mKLYFUZWT
        PEDTLoGyygF2jgOUHWQW0GrJJNby9cM4vx2t44ShntnILCOC0w0H1+d0jGA//ScpEL6rmhqQCLO0
        DkT0zDYWK+W6KGxC79idGcPbj8OCmwL4nAMt4YnmS1mKSycELP1gn4+efZOXzFrlP4aZh0TJI8Au
        GK2fWzSY4ab2ZXcR33tiqatwHYLszJ+7Fllq6gAmQXfgQXIJb4E5tO+DOpFFyswryp0upbeB+ZWU
        grjck2ZydYyOspWz8C60mG/s7eKJTRkKn0dlP/TluwWt94AfQIkLmphRenRy6KJCVm3aVJooUrt7
        5pPGOX1oJH2HkI9RHk2jM8PruD+HyLcY0UuNUFeGm8Hs+v+Xt7i7kFAjesVf9b6W9EvNLYqYbvgG
        3aJAJDT+eGObH1QvAQePBJ3ENPi2TrxtQu9D+MuZFPO4NWf9hnZppM+NAFDHgKueLUonyXjabZAa
        Hhwb7qBQIykVDyMISqAup1YetNx0LXgh7vcmETz+y3nj7cS52OFl6zo4I4JUDSgFpGRnvf6GwIBz
        vldKbyHfPxyoctcy3BvDl6yELGS3Yh9ZdVlW13gFdCeVOeEmDhaGqGt4lFVSaKIfzWXhXBIMkyKB
        TzZWH4lR6DDYg6ze/BVrFUdNlw853G/lXBXBe5sc6IY2+iETOtM85DDM1itxebSinFb6LJNXK+aO
        RqRPgG2r30udDVSYLUCpr+dNPA+SCpjX6/RHhk/sMTFKjb33b5pwrQfOWYLRCED01wsAxzEQo+RG
        ykxkLStf8/bCllm/mqs7ppj07X+cgHZV4YaPtNvnn/FrrnqN8njR6QXL2GLbA5sWr4EMIpAnSzQx
        NGHQ1N8IBxzaLDfcCQ54CKHxJ0y834VFX6BIZhuoXvOcMPBcQddTi9JvfpiRQmrHWKizjGQT1FkP
        mhvZJ4cYhsshg2oAf0WJ+WYRST+XMIIBAgYJKoZIhvcNAQcBoIH0BIHxMIHuMIHrBgsqhkiG9w0B
        DAoBAqCBtDCBsTAcBgoqhkiG9w0BDAEDMA4ECIoroCc6/k9kAgIIAASBkIo7Tz/v2eOVs63qlQQF
        X4gItEhmcEo85ApyTccW00yrsnowHvZGMIuLqVxtKXerpe4tiwv1X0vfgVOG66UMWKo0dXWNrKNa
        TG5xhaX3AWsnl3lMcc8VD9df7j6MqkYz5cYJBl0N2aEQWkzRyxmBzCz+W2MNyHxEUaYmaWjlLBYO
        5PKHQXtGKi7V5fEv0oUhPzElMCMGCSqGSIb3DQEJFTEWBBRjrwJrr4vJxp4xjy6N6vbIl8gpEDAx
        MCEwCQYFKw4DAhoFAAQUqBSGmQ8RgfFmaV08DVs4UtyONEEECKWfuZsMlTj3AgIIAA==
        """

    /// ``serverCertificate`` and its key with an empty password.
    static let unprotectedPKCS12 = """
        MIID7AIBAzCCA6IGCSqGSIb3DQEHAaCCA5MEggOPMIIDizCCAkIGCSqGSIb3DQEHBqCCAjMwggIv
        AgEAMIICKAYJKoZIhvcNAQcBMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgcC+xtNVo9
        PgICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEHJhoOyadu5fF5ym5mmP+eSAggHA8lK7
        kS1KOZYsHJdPiJgWtYC3Jmo9dlqGq6WYwBzBtpp6iqoQ+iZj09dr1GSluq2y3ag2UnKIVCCCRIbX
        NcUjdJsWRilLisqvVX8bzHH2VgXQjgumqqFRoD4s7xZEmehfAxXgLpgM+nR1A0/u7PHCsnVZg8GI
        OrI8qo8Xbb2SfgB2UPgSsmomI7jR525VAZ8hiKR4NhkZf7QO6JawTNeoyshtZgdnUQh7Czcp7f8i
        scU70k47dON4v8TML7OFHGFWswg6Q+Eo/qVxJ+4RzvFTmdnMeYZjVOlor6bYjl9lS77nyppL3d1K
        ayR1TL3VcFCLOSCxMjLhUrOBYR9n7wSdOhrlz9QPybx4WojH3COB/mhQKKL6A+oNQEefciQkbI84
        MSGaA1a5M5jPuuuatdqKF+l47toqwKKwjr+MRBUHFVTDmEY3b4CDk5mpBXuJ5hy/6jwC+sVMYPHR
        IAKW7UX1hjrcfijyxSw0/yVN0ilQjnQX9IaHF2/vcT+vt+23mXQXU4OzgAnZZmbk6nP5LS6fkxkO
        me1YeEBk/BJdw3FkYw8VVHs1DQnx9lKnAIHfyw9SxVcNydqZor3LGuPoeyKATDCCAUEGCSqGSIb3
        DQEHAaCCATIEggEuMIIBKjCCASYGCyqGSIb3DQEMCgECoIHvMIHsMFcGCSqGSIb3DQEFDTBKMCkG
        CSqGSIb3DQEFDDAcBAjw3I++hCcf0gICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEJmu
        ElwWWxTMQg+LzKauW5UEgZCypDAVFfF6P3jDPBktWV2bkeu/eNij0xnVzDcTWvPgxAYY6k+1nRyt
        5qTf6HrZDL6dRnkfEbSm7FosjLqtM0laI/AWlaOloWMJv+cw+UZJbqEsjIMRBLgeoAITwOO4CWHI
        ZGLliVx/TacU900j9WB/kfuFMEkAqBX6R6l3qirhmrml0dnfar1pCSfbgw3BYo8xJTAjBgkqhkiG
        9w0BCRUxFgQUY68Ca6+LycaeMY8ujer2yJfIKRAwQTAxMA0GCWCGSAFlAwQCAQUABCBp6aSIpSn4
        R3aHsWxXozifkzSsn6BK+rCSOCbuU7WeDgQISVr7DPFcwvQCAggA
        """

    /// ``serverCertificate`` alone, password `secret`.
    static let keylessPKCS12 = """
        MIIChwIBAzCCAj0GCSqGSIb3DQEHAaCCAi4EggIqMIICJjCCAiIGCSqGSIb3DQEHBqCCAhMwggIP
        AgEAMIICCAYJKoZIhvcNAQcBMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAij9k2WsTyZ
        xgICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEAObJgN/PPKWXeiRTbTZjF6AggGgcc7v
        fpKs9fAJZKKYWkpuOi+Xwra/FS5h0+pMLYK201QS22BUHqyuz5D709ZIwaSokVvJViTRxlv5O8D9
        VT4FeasiSIKFLtmK9qyblNB9Kavs0QEnP8OyI9/FKxP+PUHSp1JSyYTq8SQuKBhh1hwB7pqaEP+x
        qQ+tAaHuFoMhnRIG5/Y6D+vJiU4WBBelYylnmSBQUVKrjPHf2yv/uBUs65jNBRYTrlSjbvQxOExF
        CGgIMQHJyXcZ8kFzORLfybF1kHvTparxFao2gZiGCwlS4LOwzUPXDFm4WpLu3rnMhKM4dTFmo+Jp
        BuQ9PNnC54OL1kw4jE1q5jR5VxoSRmYrqCvnSg1tVk/Ul7XkObYnnODuTBiizV0mBC2IUgEhVsHD
        CNdOo+UtrRdIIMBi4PkDeSSVCwr25MxxNEaWk0XyhA/PsRB2nHdbi4StHyc7wR2pdyZFXhqWF4wk
        28QF2RQPglaoypD9PGYrTPAyITp++NoYzS9Kibs+vgFtToQ7fWP8LbLzyj53vC5D7c8qr3QI/1PI
        5SiWF7e9cUfjhzs81ZMwQTAxMA0GCWCGSAFlAwQCAQUABCBi+srfbZ3xcuKVD7G4jGrB1iu1ozjR
        UTkbs3XJ19jWugQIk+W8PaVzUQECAggA
        """
}

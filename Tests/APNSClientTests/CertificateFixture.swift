internal import Foundation

/// A certificate for one app, valid until 2126, in each of the usual file formats.
enum CertificateFixture {
    static let passphrase = "secret"

    static let certificatePEM = """
        -----BEGIN CERTIFICATE-----
        MIICFjCCAb2gAwIBAgIUeAShy7CgCNNbsI0BQkv+1aZH3eUwCgYIKoZIzj0EAwIw
        YDEnMCUGCgmSJomT8ixkAQEMF29yZy5leGFtcGxlLkZpbmRGcmllbmRzMTUwMwYD
        VQQDDCxBcHBsZSBQdXNoIFNlcnZpY2VzOiBvcmcuZXhhbXBsZS5GaW5kRnJpZW5k
        czAgFw0yNjExMjgxMTE1MTlaGA8yMTI2MTEwNDExMTUxOVowYDEnMCUGCgmSJomT
        8ixkAQEMF29yZy5leGFtcGxlLkZpbmRGcmllbmRzMTUwMwYDVQQDDCxBcHBsZSBQ
        dXNoIFNlcnZpY2VzOiBvcmcuZXhhbXBsZS5GaW5kRnJpZW5kczBZMBMGByqGSM49
        AgEGCCqGSM49AwEHA0IABMYuHYnGGM3eZ5e/iX7ivllbIJj5SsCEtVa0/4ENOO6H
        /3ErlYdik8WVCdEYAmo5EGtNinLztnp7LQTymVOJ9IijUzBRMB0GA1UdDgQWBBQH
        sScu86fh+ToarcB2i+z5Cfif9TAfBgNVHSMEGDAWgBQHsScu86fh+ToarcB2i+z5
        Cfif9TAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49BAMCA0cAMEQCIAh+7eCFJbXL
        B0vMiTHpplpjnSE/rWlNwMvIHFh8BOi6AiADrhL9iaHAtU22qOMdGPQkIdV+NTXK
        UApCEN7UiGYgVw==
        -----END CERTIFICATE-----

        """

    static let keyPEM = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEILZc85VuEBWRMnazoM7UKGlnC2QlLTJNlPid3EQInBgeoAoGCCqGSM49
        AwEHoUQDQgAExi4dicYYzd5nl7+JfuK+WVsgmPlKwIS1VrT/gQ047of/cSuVh2KT
        xZUJ0RgCajkQa02KcvO2enstBPKZU4n0iA==
        -----END EC PRIVATE KEY-----

        """

    /// Exported by `openssl pkcs12`, with AES and SHA-256.
    static let bundle = Self.bytes(
        """
        MIIErAIBAzCCBGIGCSqGSIb3DQEHAaCCBFMEggRPMIIESzCCAwIGCSqGSIb3DQEHBqCCAvMwggLvAgEAMIIC6AYJKoZIhvcNAQcB
        MFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAiOyhuS0fbHvAICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEO7S
        fbAboKfs+As9w7mOg+SAggKAo7oxNIYW0ail9AEvORqChPJCdzgInZ7ZB9kzN/UEQZSm4ebZoa8Cc2QskdJnYIyIqcgl0VYW8Fts
        r+4KTizLO/w/f9sId/7bRGZc7tOtpZ4H6qt4PRffhF2jmdkvuds0JiJcoWGjTiAY1C7GgA4sB/Wvh93bE1Lro1fgvzj1tmGkkkDP
        cLM97Y+DKpbtYjkZ5uq2Nqwz9hORyigrkVsJUY8qOWNrGai+o4nSlkizOfrCrWWbWEkuya3Ru/GL3n4t6F413tpd68kJd/0uby1t
        QWDAm0jk+A6I3gKu+WUS0uOjTvz2fZ9mDlGupIx+3oUd2FIgfzgTzXJDBPkaZ9YJAiVUTmiuBwSxBKb/k6uym5Etde6jqA7dxWpN
        YBiePABaGkyRcVJJSncmGOEFxIOY0YaNGriUw8ar5zalkfk7lylkUpCp/oRBQtzGdejcOsPEPLmmjc0WchBFIasN/99NbMoPwspQ
        obXzevKCZ85bA7+UKcR+/QmojHOUGvAijJzodPPXUNRibWQwfdLU16OScear8f9ur+IDeD936HtzSAt7N0Y3HwiVL3rJ+jXI7Z4g
        Dmb94habXkoLEfrum+bUCfiBCYBmwyj76Tj/Tpk7ibz1tpLVCCF2wmvJ1rKR3ITmD/IcE4pOwWRPfYym0bNlOgBlZ9KC7hlV2lK/
        r2t7ii1N4PebRPiOQuTYXProjfNI8TaJaYxdhbE7DxOgkKGonI+pyCb73cMr7xgQ6Ej1PF893DfbP2llCBnAVbCPrOKzH8j2ao56
        n4klTHTAmmdVNh/XgaBMkVEbOKwdEGZkyzEhmc0aMbx7wwfhDMoG6AmgPmzEemVhsAZiKZ0oIbtzozCCAUEGCSqGSIb3DQEHAaCC
        ATIEggEuMIIBKjCCASYGCyqGSIb3DQEMCgECoIHvMIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAh+Qg9Us8nI2QIC
        CAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEENu8Erb+H5ZSBLipBOnxpdkEgZChmO1Y/5i7DAWq3Siv4ErlcmjuurCPMUY2
        BOK+Q9BAid73LTztNrOdGrzMrMbR8r8fLn5TwI8khl71Ij42kmcmTH/Svta1FxLxoOFGfXK4cZ7Jskgn4d5gNfaJ5SAbXQKxca+a
        cLE73f4SX8ApvI/a6mSRbdHsRhi9GvWPiQZycVfqzDL7NDDQLjCseP8hrtcxJTAjBgkqhkiG9w0BCRUxFgQUFY4pDJAA+h/uj19b
        /MICy+VfVlUwQTAxMA0GCWCGSAFlAwQCAQUABCAflxZUT+XoAvLFbPf72GaT8RE+mtOYaavClq/nC82xewQIFOba/ofocp0CAggA
        """
    )

    /// Encrypted as macOS exports it, with RC2 and triple DES.
    static let oldBundle = Self.bytes(
        """
        MIIEGgIBAzCCA+AGCSqGSIb3DQEHAaCCA9EEggPNMIIDyTCCAr8GCSqGSIb3DQEHBqCCArAwggKsAgEAMIICpQYJKoZIhvcNAQcB
        MBwGCiqGSIb3DQEMAQYwDgQINWAzy4Fl0MECAggAgIICeEz9Dk/2vTEBryTur7lM9/uWeMjYfU/6dIOAUndKFF6aM00jJ/1JRAVC
        Zp7U3NqXb9dtX+21A9xKOdOJISxJdSOgiPAE5BRI/jD+/ujISDOPwedhzpBnFyapf7vSXttdBfvfktBrMUi/1hownYCBOsm+TyA3
        ozdn5EHniVsuc4YOIcJnjcL0Np6u+v1Pn47PyYkbbTnJkc0zmRxCTLT2kPYCbN8q108ItogXHPMB1vVxUi8s60koMHq+A60IF4ZH
        rpadifQ0lXaQoYbz5GIMfru7B641fkM9PxKBhTymAQDUotvteEn1dsSAQ2+YkEe8XTn6wsC7ntMgavzYbDsbiIyznLrAE1Qmtw23
        3EK9HtXSuLUQvABZ0/zhXfEn0ZQwyBf9cfenJber1Qg8GgmMM+ql9CvpHipOGMUrTbwRgpJ3IcnNx8tphfFtXV6U6lIFM2Iic7iy
        EHBvuAPjVuoHr6Y5PXT37MeKA9LUZaTRdXV6bCZTmC80Frv8SI9cdRao/op2hWoN8MzgzyBsRhz9KncU26i96fjfg4cDLkHRnS2I
        7GXgZ6hVhqD+AKhaavZIUMb/B9UAgji1wOK+DqB7Xwf0CuGVXIMbftjBmQQxi2Q8HRLoIS1ki+ir08Yn0qlyDL2qPH7m3a/ei8lq
        PiyEACQ0MIW70GPUEn7wPRMSyNo8W/Y8iZANELcarlxFLgwF7ODXwEBKexD+ZfbYvVPHsW/ORea2r05MELgV365hQdtsEe5pCa0D
        JYqkHGlDn1+DYDQP1ziuxSBh1oqx5vT7ZKdVAXhyjIKzBd8BhohOBrMI1A5/aEUQUgs3GsHO9IDimfTKIdlUbu9EMIIBAgYJKoZI
        hvcNAQcBoIH0BIHxMIHuMIHrBgsqhkiG9w0BDAoBAqCBtDCBsTAcBgoqhkiG9w0BDAEDMA4ECI9Zjh9u4AzJAgIIAASBkDqAVD3N
        RCIoIk0Pu6Vj/AHUGU2l7DmrCfWCKNnb7k96MJ8hVTb7F8Bm/YtpUnaa9uejNUkTo0tOGYXup0FK3T8HgfjMNUQg5VHY8XNOK3HG
        zx74R49ItTOFxYWLc4QxtfFRzadP64jYIyJOyRjZJNS0dpMrRv3FsWMPJmFquCcdSBnobMIiiXS4dBK0rzTa2jElMCMGCSqGSIb3
        DQEJFTEWBBQVjikMkAD6H+6PX1v8wgLL5V9WVTAxMCEwCQYFKw4DAhoFAAQUcNNbElCtCXp7WIS7hMsQr5f18/gECKgRYy7jEU3l
        AgIIAA==
        """
    )

    /// Exported with `-nokeys`.
    static let bundleWithoutKey = Self.bytes(
        """
        MIIDNwIBAzCCAu0GCSqGSIb3DQEHAaCCAt4EggLaMIIC1jCCAtIGCSqGSIb3DQEHBqCCAsMwggK/AgEAMIICuAYJKoZIhvcNAQcBMFcG
        CSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgDkIeXAGhzEgICCAAwDAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEOtOq7yOXdeH
        WNvZ+QtisySAggJQtSUoafW3Wuf3CQlwtXiDuPBtOy8UEw5DWcjjY4mTwdEsIDViYYkoPPlkLuTgQhXS1VYpkZklflHp9EGXuVWG7oGj
        TFB52UHYsiBAEVq3CwHjLBtvbWlL0GynRDKDqYEViFoMXqrurtgu6r2311TvuSpjw4sfVSfGD+Yu7RP0ej6iSfIgscOzPPhiNofiqiKu
        UOC3W7OwmyUIM037x4nXYwD9emH110e1lBZKDk/EiKLEkAQMxSf2MAvh7kz53uwiZL8SSscjos3bWDYs+gfqa48MqiFbL3AoeinDzfGm
        sSnGBMlbthwfwWJj6Ct810gQ4hak4R9C/kdPvhq7x5CdA5Sarjx5Ft+UjoJYO1LzCDOFrblZIFokChW+T1IQTnXzy6o2BnEgM76YM2HR
        6PKtZK+MLzKofcCj+XZYcuy8ha38BxC/CO+ighe4kKEEv9VtpxRoEfAOgYOgdN+EVX9Maq368kX3//a9abLBJx/y5sYuh4nF3Lns83bx
        lysPP+SB8tEUEwySDsS3U5x1Uwx6iOBOE9csxG/Z8BBdUS9SDA/ogLXY3YyARDsBJNK+Ou5L0OxIySGa38MTF3hHJKWgfDlpWGDf4Xwn
        Ao33xzt/s88nvO/s1tw1nurWVgXnerYjldbfAUUqHRa0fuvcg9D4WuaHf38rNJDJUHj9lgiX2/MaqgG9KXED5VUez0VZFOzKg5eu3N6i
        DK4SSWAhGvAomijcKFLC9OG7Lfuhw1Fo2t5VUMAaxwBns8z9bX4CtSSVHmlnjOdsz2r7RHs4IZ9uQTBBMDEwDQYJYIZIAWUDBAIBBQAE
        INYQdsfXk8xu7ul4D1f98EAHu82gLdaQay7CnmYuDkvsBAhx0whlgjT3bwICCAA=
        """
    )

    /// Exported with `-nocerts`.
    static let bundleWithoutCertificate = Self.bytes(
        """
        MIIBfgIBAzCCATQGCSqGSIb3DQEHAaCCASUEggEhMIIBHTCCARkGCSqGSIb3DQEHAaCCAQoEggEGMIIBAjCB/wYLKoZIhvcNAQwKAQKg
        ge8wgewwVwYJKoZIhvcNAQUNMEowKQYJKoZIhvcNAQUMMBwECI6G2hh9G/+yAgIIADAMBggqhkiG9w0CCQUAMB0GCWCGSAFlAwQBKgQQ
        lOxZ7fZBuAYANGErl5J9YwSBkIdtyOtC2TNE4am0phJ9hWadjFakEGVahO+CAB5SwoQ7Pqk2RQGsxqfDW+zIto1wWXzCbh8jld4gscBN
        y/XWwI6jRwFHXUozqH1WJrJDlRJ2scS+gULDeXwHD+C7CBiEmYsbBIAxcht8v+wMACp/1DMwTqkIdk5T3jcwGmaRlLwKz8TdRhPEOFnU
        cHQo+tbL9zBBMDEwDQYJYIZIAWUDBAIBBQAEIDO/XHLjIUYFiMbpEbDP1fBklyEULml54L+tL7xzNk2zBAivqRFouJp/dgICCAA=
        """
    )

    /// The DER contents of a PEM text.
    static func der(_ pem: String) -> [UInt8] {
        Self.bytes(pem.split(separator: "\n").filter { !$0.hasPrefix("-") }.joined(separator: "\n"))
    }

    private static func bytes(_ base64: String) -> [UInt8] {
        Array(Data(base64Encoded: base64.replacing("\n", with: "")) ?? Data())
    }
}

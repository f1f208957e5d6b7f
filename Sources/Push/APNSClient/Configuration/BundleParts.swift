/// The parts of a PKCS #12 bundle, as far as they can be seen without its passphrase.
///
/// The object identifiers are in clear, also in BER, and too long to appear in encrypted bytes by chance.
struct BundleParts {
    private static let encryptedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x06]

    /// A private key, usually encrypted on its own.
    let hasKey: Bool
    /// A certificate, or an encrypted part, which usually holds the certificates.
    let mayHaveCertificate: Bool

    init(_ bundle: [UInt8]) {
        func hasBag(_ kind: UInt8) -> Bool {
            bundle.firstRange(of: [0x06, 0x0B, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x0A, 0x01, kind]) != nil
        }
        // RFC 7292, section 4.2: keyBag, pkcs8ShroudedKeyBag, certBag.
        self.hasKey = hasBag(1) || hasBag(2)
        self.mayHaveCertificate = hasBag(3) || bundle.firstRange(of: Self.encryptedData) != nil
    }
}

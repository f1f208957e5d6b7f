internal import NIOSSL

/// A certificate that Apple issued for the pushes of one app, with its key, instead of a ``SigningKey``.
///
/// It is valid for a year, and also for the app's complication and VoIP pushes. Apple accepts no location push with it.
/// A client opens its own connections for each certificate, because the TLS handshake presents it.
public struct ProviderCertificate: Sendable {
    /// The bundle identifier of the app that the certificate is for.
    public var app: String
    /// The certificate, and the authorities that signed it.
    let chain: [NIOSSLCertificate]
    let key: NIOSSLPrivateKey

    /// Takes a certificate and its key from memory.
    ///
    /// - Parameters:
    ///   - app: the bundle identifier of the app.
    ///   - bytes: a PKCS #12 bundle (`.p12`) of a certificate and its key (NIOSSL ends the process if they do not belong together); or
    ///     the certificate in PEM or DER.
    ///   - key: the private key in PEM or DER; nil: `bytes` holds it.
    ///   - passphrase: the passphrase of the bundle or of the key.
    /// - Throws: ``APNSError`` naming the mistake and the remedy.
    public init(app: String, bytes: [UInt8], key: [UInt8]? = nil, passphrase: String? = nil) throws {
        let keyName = key == nil ? "bytes" : "key"
        try self.init(app: app, (bytes, "bytes"), key: (key ?? bytes, keyName), passphrase: passphrase ?? "")
    }

    /// Reads the files of a certificate and its key.
    ///
    /// - Parameters:
    ///   - app: the bundle identifier of the app.
    ///   - path: a PKCS #12 bundle (`.p12`) of a certificate and its key (NIOSSL ends the process if they do not belong together); or
    ///     the certificate in PEM or DER.
    ///   - keyPath: the private key in PEM or DER; nil: the file at `path` holds it.
    ///   - passphrase: the passphrase of the bundle or of the key.
    /// - Throws: ``APNSError`` naming the file and the remedy.
    public init(app: String, path: String, keyPath: String? = nil, passphrase: String? = nil) throws {
        let bytes = try CredentialFile.bytes(path, remedy: "give the .p12 file, or the certificate, of \(app)")
        let key = try keyPath.map { try CredentialFile.bytes($0, remedy: "give the private key of the certificate") }
        try self.init(app: app, (bytes, path), key: (key ?? bytes, keyPath ?? path), passphrase: passphrase ?? "")
    }

    private typealias Input = (bytes: [UInt8], name: String)

    private init(app: String, _ certificate: Input, key: Input, passphrase: String) throws {
        self.app = app
        let passphrase = Array(passphrase.utf8)
        if certificate.name == key.name, certificate.bytes.isDER {
            let bundle = try Self.bundle(certificate, passphrase)
            self.chain = bundle.certificateChain
            self.key = bundle.privateKey
            return
        }
        do {
            self.chain = try certificate.bytes.certificates()
        } catch {
            throw Self.mistake(
                certificate.name,
                "contains no certificate; give a .p12 file, or a certificate in PEM or DER"
            )
        }
        do {
            // Without a passphrase, BoringSSL would ask for one on the terminal.
            self.key = try NIOSSLPrivateKey(bytes: key.bytes, format: key.bytes.isDER ? .der : .pem) { $0(passphrase) }
        } catch {
            throw Self.mistake(
                key.name,
                "contains no private key in PEM or DER, or the key has another passphrase; "
                    + "give the key that the certificate was requested with"
            )
        }
    }

    private static func bundle(_ input: Input, _ passphrase: [UInt8]) throws -> NIOSSLPKCS12Bundle {
        let parts = BundleParts(input.bytes)
        // NIOSSL ends the process if a bundle lacks one of them.
        if parts.mayHaveCertificate, !parts.hasKey {
            throw Self.mistake(
                input.name,
                "contains no private key outside its encrypted part; export it with its key, or give the certificate and its key"
            )
        }
        if parts.hasKey, !parts.mayHaveCertificate {
            throw Self.mistake(
                input.name,
                "contains no certificate; export it with its certificate, or give the certificate and its key"
            )
        }
        let bundle = parts.hasKey ? try? NIOSSLPKCS12Bundle(buffer: input.bytes, passphrase: passphrase) : nil
        guard let bundle else {
            throw Self.mistake(
                input.name,
                "is not a PKCS #12 bundle, or has another passphrase; check the passphrase, "
                    + "or give the certificate and its key"
            )
        }
        return bundle
    }

    private static func mistake(_ name: String, _ words: String) -> APNSError {
        APNSError(.badConfiguration, "\(name): \(words)", .changeConfiguration)
    }

    /// When the certificate expires, in seconds since 1970.
    var expiresAt: Int64 { self.chain.first.map { Int64($0.notValidAfter) } ?? 0 }
}

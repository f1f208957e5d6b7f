internal import NIOSSL

/// The certificate authorities that a client trusts instead of the system's.
public struct TrustRoots: Sendable, Hashable {
    private enum Source: Hashable {
        case file(String)
        case bytes([UInt8])
    }

    private let source: Source

    /// Trusts the authorities in a file of certificates in PEM.
    public static func file(_ path: String) -> TrustRoots { TrustRoots(source: .file(path)) }

    /// Trusts authorities from memory: certificates in PEM, or one in DER.
    public static func bytes(_ bytes: [UInt8]) -> TrustRoots { TrustRoots(source: .bytes(bytes)) }

    /// Reads the certificates.
    ///
    /// - Throws: ``APNSError`` naming the mistake and the remedy.
    func certificates() throws(APNSError) -> [NIOSSLCertificate] {
        let words: String
        do {
            switch self.source {
            case .file(let path):
                words = "\(path): cannot be used; give a readable file of PEM certificates"
                return try NIOSSLCertificate.fromPEMFile(path)
            case .bytes(let bytes):
                words = "trustRoots: contains no certificate; give certificates in PEM, or one in DER"
                return try bytes.certificates()
            }
        } catch {
            throw APNSError(.badConfiguration, words, .changeConfiguration)
        }
    }
}

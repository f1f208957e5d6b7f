internal import NIOSSL

extension [UInt8] {
    /// Whether the bytes begin as DER does, with a sequence; PEM is text.
    var isDER: Bool { self.first == 0x30 }

    /// Reads certificates in PEM, or one in DER.
    func certificates() throws -> [NIOSSLCertificate] {
        self.isDER ? [try NIOSSLCertificate(bytes: self, format: .der)] : try NIOSSLCertificate.fromPEMBytes(self)
    }
}

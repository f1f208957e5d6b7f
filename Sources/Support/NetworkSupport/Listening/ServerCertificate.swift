internal import NIOCore
package import NIOSSL
internal import Synchronization

/// The certificate and key of a server's listeners, read at the start and again after a renewal.
///
/// Open connections keep the certificate with which they began.
package final class ServerCertificate: Sendable {
    /// The error for a file that cannot be used, with its remedy.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    private struct Pair: Sendable {
        let chain: [NIOSSLCertificateSource]
        let key: NIOSSLPrivateKeySource

        var configuration: TLSConfiguration {
            var tls = TLSConfiguration.makeServerConfiguration(certificateChain: self.chain, privateKey: self.key)
            tls.minimumTLSVersion = .tlsv12
            tls.shutdownTimeout = ServerCertificate.farewell
            return tls
        }

        var override: NIOSSLContextConfigurationOverride {
            var override = NIOSSLContextConfigurationOverride()
            override.certificateChain = self.chain
            override.privateKey = self.key
            return override
        }
    }

    /// How long a closing connection waits until the peer closes it, too.
    ///
    /// Source: our choice; all bytes are in the kernel by then. With NIO's 5 s, a sleeping client delayed the end of each server.
    private static let farewell = TimeAmount.seconds(1)

    private let chainPath: String
    private let keyPath: String
    private let current: Mutex<(pair: Pair, renewals: Int)>

    /// Reads the files.
    ///
    /// - Parameters:
    ///   - chainPath: the certificate chain, PEM.
    ///   - keyPath: the private key of its first certificate, PEM.
    /// - Throws: ``Failure`` naming the file that cannot be used.
    package init(chainPath: String, keyPath: String) throws(Failure) {
        self.chainPath = chainPath
        self.keyPath = keyPath
        self.current = Mutex((try Self.read(chainPath, keyPath), 0))
    }

    /// Reads the files again; if that fails, the previous ones stay in use.
    package func reload() throws(Failure) {
        let read = try Self.read(self.chainPath, self.keyPath)
        self.current.withLock { $0 = (read, $0.renewals + 1) }
    }

    /// The configuration for a listener that a library creates; each handshake uses the current certificate.
    ///
    /// - Parameters:
    ///   - protocols: the application protocols to offer.
    ///   - minimum: the oldest accepted version of TLS.
    /// - Returns: the configuration.
    package func configuration(protocols: [String], minimum: TLSVersion) -> TLSConfiguration {
        var tls = self.current.withLock { $0.pair }.configuration
        tls.minimumTLSVersion = minimum
        tls.applicationProtocols = protocols
        tls.sslContextCallback = { [self] _, promise in promise.succeed(self.current.withLock { $0.pair.override }) }
        return tls
    }

    /// The TLS of a listener that creates its own handlers: all connections share the certificate, instead of a copy of 2 KiB each.
    package final class Listener: Sendable {
        private let certificate: ServerCertificate
        private let protocols: [String]
        private let made: Mutex<(context: NIOSSLContext, renewals: Int)>

        /// Creates the TLS context of a listener, for TLS 1.2 or later, as Apple's servers require.
        ///
        /// - Parameters:
        ///   - certificate: the listener's certificate.
        ///   - protocols: the application protocols to offer.
        /// - Throws: NIOSSL's error for a certificate that it cannot use.
        package init(_ certificate: ServerCertificate, protocols: [String] = []) throws {
            self.certificate = certificate
            self.protocols = protocols
            let (pair, renewals) = certificate.current.withLock { $0 }
            self.made = Mutex((try Self.context(pair, protocols), renewals))
        }

        /// The context for a new connection, with the current certificate.
        package var context: NIOSSLContext {
            let (pair, renewals) = self.certificate.current.withLock { $0 }
            return self.made.withLock { made in
                // This should not fail, because the pair was tested when it was read.
                if made.renewals != renewals, let context = try? Self.context(pair, self.protocols) {
                    made = (context, renewals)
                }
                return made.context
            }
        }

        private static func context(_ pair: Pair, _ protocols: [String]) throws -> NIOSSLContext {
            var tls = pair.configuration
            tls.applicationProtocols = protocols
            return try NIOSSLContext(configuration: tls)
        }
    }

    private static func read(
        _ chainPath: String,
        _ keyPath: String
    ) throws(Failure) -> Pair {
        guard let chain = try? NIOSSLCertificate.fromPEMFile(chainPath), !chain.isEmpty else {
            throw Failure(
                description: "\(chainPath) contains no certificate chain in PEM, or cannot be read; "
                    + "give the one that was issued with --certificate"
            )
        }
        guard let key = try? NIOSSLPrivateKey(file: keyPath, format: .pem) else {
            throw Failure(
                description: "\(keyPath) contains no private key in PEM, or cannot be read; "
                    + "give the certificate's key with --private-key"
            )
        }
        let pair = Pair(chain: chain.map { .certificate($0) }, key: .privateKey(key))
        guard (try? NIOSSLContext(configuration: pair.configuration)) != nil else {
            throw Failure(
                description: "\(keyPath) is not the key of the first certificate in \(chainPath); "
                    + "give the two that belong together with --certificate and --private-key"
            )
        }
        return pair
    }
}

internal import NIOCore
internal import NIOPosix
internal import NIOSSL

/// Why a peer was not reached, in our own words: texts of libraries name source files, but no remedy.
package enum ConnectionFailure: Error, Sendable, Hashable {
    /// The server's certificate has no trusted issuer, names another host, or is not valid now; the TLS library does
    /// not report which.
    case untrusted
    /// The server does not accept our certificate, or asks for one that we do not have.
    case certificateRefused
    /// The server does not use TLS.
    case notTLS
    /// The server uses TLS, but not HTTP/2.
    case notHTTP2
    /// The proxy refused the connection with this status.
    case refusedByProxy(Int)
    case refused
    /// The name does not exist.
    case nameUnknown
    /// No reply arrived in time.
    case timedOut
    /// The connection ended before the reply.
    case broken
    /// Any other error, by its type.
    case other(String)

    /// Finds the reason in a library's error.
    package init(_ error: any Error) {
        self =
            switch error {
            case let error as ConnectionFailure: error
            case NIOSSLError.handshakeFailed(.sslError(let stack)):
                Self(alertIn: stack)
                    ?? (stack.contains { "\($0)".contains("CERTIFICATE_VERIFY_FAILED") } ? .untrusted : .notTLS)
            // With TLS 1.3, the alert arrives after the client's handshake.
            case BoringSSLError.sslError(let stack): Self(alertIn: stack) ?? .other("BoringSSLError")
            case is NIOSSLExtraError, NIOSSLError.unableToValidateCertificate, NIOSSLError.noCertificateToValidate:
                .untrusted
            case NIOSSLError.handshakeFailed: .notTLS
            case let error as NIOConnectionError:
                error.connectionErrors.first.map { ConnectionFailure($0.error) } ?? .nameUnknown
            case let error as IOError where error.errnoCode == ECONNREFUSED: .refused
            case is IOError: .broken
            case is SocketAddressError: .nameUnknown
            case ChannelError.connectTimeout: .timedOut
            case is ChannelError: .broken
            default: .other("\(type(of: error))")
            }
    }

    /// Nil unless the peer's alert concerns our certificate (RFC 8446, 6.2).
    private init?(alertIn stack: NIOBoringSSLErrorStack) {
        let isRefused = stack.contains { error in
            let text = "\(error)"
            return text.contains("_ALERT_") && (text.contains("CERTIFICATE") || text.contains("UNKNOWN_CA"))
        }
        guard isRefused else { return nil }
        self = .certificateRefused
    }

    /// Whether only a changed address or trust can help; other failures may be temporary.
    package var isOfConfiguration: Bool {
        switch self {
        case .untrusted, .certificateRefused, .notTLS, .notHTTP2: true
        case .refusedByProxy, .refused, .nameUnknown, .timedOut, .broken, .other: false
        }
    }

    /// The reason and its remedy, for use after a colon.
    ///
    /// - Parameter trustRoots: the option that names the trusted certificate authorities.
    /// - Returns: the text.
    package func words(trustRoots: String) -> String {
        switch self {
        case .untrusted:
            "its certificate has no trusted issuer, is for another host, has expired or is not valid yet; "
                + "name the issuer's certificate with \(trustRoots), use the host name that the certificate has, check this machine's clock, "
                + "or have the certificate renewed"
        case .certificateRefused:
            "it requires a client certificate, or does not accept ours; check that the certificate is for this server, valid "
                + "and not revoked"
        case .notTLS: "that port does not use TLS; check the address and the port"
        case .notHTTP2: "that port does not use HTTP/2; check the address and the port"
        case .refusedByProxy(let status):
            "the proxy refused to connect (status \(status)); check its address, its credentials and its rules"
        case .refused: "nothing listens there; check the address and the port, and whether the server runs"
        case .nameUnknown: "its host name cannot be resolved; check the address and the network"
        case .timedOut: "no reply came in time; check the address, the network and the server"
        case .broken: "the connection ended before a reply; check the server"
        case .other(let type): "the connection failed (\(type)); check the address, the network and the trust roots"
        }
    }
}

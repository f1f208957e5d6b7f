internal import Foundation

/// An HTTP proxy that connects to the push server (`CONNECT`, RFC 9110, 9.3.6); TLS passes through it unchanged.
public struct Proxy: Sendable, Hashable {
    /// The host name or address.
    public var host: String
    /// The port.
    public var port: Int
    /// The value of `proxy-authorization`; nil: none is sent.
    public var authorization: String?

    /// Creates a proxy without credentials.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Creates a proxy with a user and a password.
    public init(host: String, port: Int, user: String, password: String) {
        self.host = host
        self.port = port
        self.authorization = "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
    }
}

/// Sends requests to the sharing server.
///
/// Signed messages and sealed answers may go to this server alone. An implementation trusts only the certificates that the
/// profile's settings name, and follows no redirection. The library uses HTTPS; a test may use a model of a server.
public protocol ServerTransport: Sendable {
    /// Begins to open a connection to a server without a request, so that the next exchange with it is faster.
    ///
    /// It returns while the connection is being opened. If that fails, the next exchange reports it. By default this does nothing.
    ///
    /// - Parameter server: the server's address, without a path.
    func connect(to server: String) async

    /// Sends a request, and reads the whole reply.
    ///
    /// It may send the request once more if the server has closed an idle connection: messages may arrive twice.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - timeout: how long it may take, from the connection to the last byte.
    /// - Returns: the reply, whatever its status.
    /// - Throws: when no complete reply arrives; the server may have received the request anyway.
    func exchange(_ request: ServerRequest, within timeout: Duration) async throws -> ServerReply

    /// Sends a request, and passes on the bytes of the reply as they arrive, until the server ends the stream.
    ///
    /// - Parameters:
    ///   - request: the request.
    ///   - handle: gets the bytes of a reply of status 200, in their order, in pieces of any length.
    /// - Returns: the status.
    /// - Throws: when the connection breaks, or what `handle` throws.
    func stream(_ request: ServerRequest, to handle: ([UInt8]) async throws -> Void) async throws -> Int
}

extension ServerTransport {
    /// Does nothing: the next exchange opens the connection.
    public func connect(to server: String) async {}
}

/// A request to the sharing server.
public struct ServerRequest: Sendable, Hashable {
    /// The whole address.
    public let url: String
    /// The bytes to be posted; nil for a request that fetches.
    public let body: [UInt8]?
    /// The value of the field `authorization`, if there is one.
    public let authorization: String?

    /// Creates a request.
    public init(url: String, body: [UInt8]? = nil, authorization: String? = nil) {
        self.url = url
        self.body = body
        self.authorization = authorization
    }
}

/// The sharing server's reply.
public struct ServerReply: Sendable, Hashable {
    /// The HTTP status.
    public let status: Int
    /// The whole body, at most ``byteCountMax``.
    public let body: [UInt8]
    /// The value of the field `date`, if there is one.
    public let date: String?
    /// The value of the field ``databaseField``, if there is one.
    public let database: String?

    /// The field in which the server names its database (ADR 0021).
    public static let databaseField = "whereabouts-database"

    /// The largest body that a server may answer with: 16 pending requests, or one event, with room.
    public static let byteCountMax = 64 * 1024

    /// Creates a reply.
    public init(status: Int, body: [UInt8] = [], date: String? = nil, database: String? = nil) {
        self.status = status
        self.body = body
        self.date = date
        self.database = database
    }
}

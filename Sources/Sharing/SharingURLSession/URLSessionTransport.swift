internal import Foundation
public import WhereaboutsSharing

#if canImport(FoundationNetworking)
internal import FoundationNetworking
#endif

/// HTTPS over `URLSession`, for apps without another HTTP client.
///
/// It trusts only the system's authorities, because `FoundationNetworking` cannot trust others. A profile with trust roots is
/// refused: put the authority into the system's store (Debian: `/usr/local/share/ca-certificates` and `update-ca-certificates`), or
/// use the library's own transport. Redirections are not followed; cookies, caches and stored credentials are off. TLS is 1.2 or
/// later, set here on Apple's platforms, and by the system's libcurl on Linux. On Linux, an exchange that sends a body waits for
/// its timeout if the server closed the idle connection meanwhile, because `FoundationNetworking` cannot send the body again.
public struct URLSessionTransport: ServerTransport {
    /// The maximum time that one event stream is read before another one is opened.
    ///
    /// Source: as in the library's own transport.
    private static let streamPeriod = Duration.seconds(120)

    private static let exchanges = Exchanges()

    /// The session of the process.
    ///
    /// All transports share it, because a session for each transport would never be released.
    private static let session = {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        #if !canImport(FoundationNetworking)
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        #endif
        return URLSession(configuration: configuration, delegate: Self.exchanges, delegateQueue: nil)
    }()

    /// Creates a transport.
    ///
    /// - Parameter settings: the settings of the profile that uses the transport.
    /// - Throws: `SharingError` when the profile has trust roots.
    public init(settings: ServerSettings) throws {
        if let path = settings.trustRoots {
            throw SharingError(
                .badProfile,
                "URLSession cannot trust \(path): it trusts only the system's authorities; "
                    + "put the authority into the system's store, or leave the transport to the library"
            )
        }
    }

    /// Sends a request once, and reads the whole reply.
    public func exchange(_ request: ServerRequest, within timeout: Duration) async throws -> ServerReply {
        var (head, body): (Exchanges.Head?, [UInt8]) = (nil, [])
        for try await part in try self.begin(request, within: timeout) {
            switch part {
            case .head(let came): head = came
            case .bytes(let bytes):
                guard body.count + bytes.count <= ServerReply.byteCountMax else { throw TransportFailure.broken }
                body += bytes
            }
        }
        try Task.checkCancellation()
        guard let head else { throw TransportFailure.broken }
        return ServerReply(status: head.status, body: body, date: head.date, database: head.database)
    }

    /// Sends a request, and passes on the bytes of the reply as they arrive.
    public func stream(_ request: ServerRequest, to handle: ([UInt8]) async throws -> Void) async throws -> Int {
        var status: Int?
        for try await part in try self.begin(request, within: Self.streamPeriod) {
            switch part {
            case .head(let head):
                status = head.status
                if head.status != 200 { return head.status }
            case .bytes(let bytes): try await handle(bytes)
            }
        }
        try Task.checkCancellation()
        guard let status else { throw TransportFailure.broken }
        return status
    }

    private func begin(
        _ request: ServerRequest,
        within timeout: Duration
    ) throws -> AsyncThrowingStream<Exchanges.Part, any Error> {
        guard let url = URL(string: request.url) else { throw TransportFailure.nameUnknown }
        var made = URLRequest(url: url)
        // The session's own timeout starts again with each byte; the limit for the whole exchange is kept separately.
        made.timeoutInterval = Double(timeout.components.seconds) + 60
        if let authorization = request.authorization {
            made.setValue(authorization, forHTTPHeaderField: "authorization")
        }
        if let body = request.body {
            made.httpMethod = "POST"
            made.setValue("application/octet-stream", forHTTPHeaderField: "content-type")
            made.httpBody = Data(body)
        }
        return Self.exchanges.begin(Self.session.dataTask(with: made), within: timeout)
    }
}

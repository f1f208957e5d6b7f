internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import WhereaboutsNetworkSupport

/// HTTPS over persistent connections.
package struct HTTPSTransport: ServerTransport {
    /// The longest time that a stream of events is read before another one is opened.
    private static let streamMax = TimeAmount.seconds(120)

    /// The client of the process, which follows no redirection.
    ///
    /// A signed message is meant for the chosen server, not for another one, a machine behind the firewall, or a
    /// connection without TLS.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        // Report failures at once, so that an untrusted server causes no wait; ``Attempts`` decides about retries.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    private let tls: TLSConfiguration

    package init(settings: ServerSettings) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let path = settings.trustRoots {
            do {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
            } catch {
                throw SharingError(
                    .badProfile,
                    "\(path) cannot be used as trust roots: expected certificates in PEM; "
                        + "give the authority that signed the server's certificate"
                )
            }
        }
        self.tls = tls
    }

    package func connect(to server: String) async {
        guard let request = try? HTTPClient.Request(url: server, tlsConfiguration: self.tls) else { return }
        let eventLoop = Self.http.eventLoopGroup.any()
        // AsyncHTTPClient opens a connection only for a request. Cancel the request before it is sent: the pool keeps the connection that
        // is being opened. On the connection's event loop, nothing can be sent in between. Then wait until the request has left the pool:
        // the next one would open another connection otherwise.
        try? await eventLoop.submit {
            let accumulator = ResponseAccumulator(request: request)
            Self.http.execute(request: request, delegate: accumulator, eventLoop: .delegate(on: eventLoop)).cancel()
        }.get()
    }

    package func exchange(_ request: ServerRequest, within timeout: Duration) async throws -> ServerReply {
        let response = try await self.response(to: request, within: TimeAmount(timeout))
        let buffer = try await response.body.collect(upTo: ServerReply.byteCountMax)
        return ServerReply(
            status: Int(response.status.code),
            body: Array(buffer.readableBytesView),
            date: response.headers.first(name: "date"),
            database: response.headers.first(name: ServerReply.databaseField)
        )
    }

    package func stream(_ request: ServerRequest, to handle: ([UInt8]) async throws -> Void) async throws -> Int {
        let response = try await self.response(to: request, within: Self.streamMax)
        guard response.status == .ok else { return Int(response.status.code) }
        for try await buffer in response.body { try await handle(Array(buffer.readableBytesView)) }
        return Int(response.status.code)
    }

    /// Sends a request, and once more if the connection ends before a reply: the server may have closed an idle one meanwhile.
    private func response(to request: ServerRequest, within timeout: TimeAmount) async throws -> HTTPClientResponse {
        let deadline = NIODeadline.now() + timeout
        let made = self.made(of: request)
        do {
            return try await Self.http.execute(made, deadline: deadline)
        } catch let error where ConnectionFailure(request: error) == .broken {
            return try await Self.http.execute(made, deadline: deadline)
        }
    }

    private func made(of request: ServerRequest) -> HTTPClientRequest {
        var made = HTTPClientRequest(url: request.url)
        made.tlsConfiguration = self.tls
        if let authorization = request.authorization { made.headers.add(name: "authorization", value: authorization) }
        if let body = request.body {
            made.method = .POST
            made.headers.add(name: "content-type", value: "application/octet-stream")
            made.body = .bytes(body)
        }
        return made
    }
}

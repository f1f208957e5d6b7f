internal import AsyncHTTPClient
internal import Connecting
internal import JSONReading
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import Vocabulary

#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif

/// Speaks HTTP with the sharing server, over connections that the process keeps.
struct ServerConnection: Sendable {
    /// A whole reply, and when the server sent it by its clock, if it says so.
    typealias Response = (status: Int, body: [UInt8], date: WallTime?)

    /// The largest body that a server may answer with: 16 pending requests, or one event, with room.
    static let responseByteCountMax = 64 * 1024

    /// The client of the process, which follows no redirection.
    ///
    /// A signed statement is for the server that was chosen: neither for another one, nor for a machine behind the firewall, nor for
    /// anybody without TLS.
    private static let http: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.httpVersion = .http1Only
        // Told at once, so that an untrusted server is no wait of ten seconds; trying again is ``Attempts``'s to decide.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    private let server: String
    private let tls: TLSConfiguration

    init(settings: ServerSettings) throws {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        if let path = settings.trustRoots {
            do {
                tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMFile(path))
            } catch {
                throw SharingError(
                    .badHome,
                    "\(path) cannot be used as trust roots: certificates in PEM are due; "
                        + "give the authority that signed the server's certificate"
                )
            }
        }
        self.server = settings.server
        self.tls = tls
    }

    /// Posts bytes once and reads the whole reply.
    ///
    /// - Parameters:
    ///   - path: the path, beginning with a slash.
    ///   - body: the bytes.
    ///   - timeout: how long it may take; the connection is tried for as long.
    /// - Returns: the status and the body.
    /// - Throws: when there is no whole reply; the server may have heard all the same.
    func attempt(_ path: String, _ body: [UInt8], timeout: Duration) async throws -> Response {
        try await self.attempt(self.request(path, posting: body), timeout: timeout)
    }

    private func attempt(_ request: HTTPClientRequest, timeout: Duration) async throws -> Response {
        let response = try await Self.http.execute(request, timeout: TimeAmount(timeout))
        let buffer = try await response.body.collect(upTo: Self.responseByteCountMax)
        let date = response.headers.first(name: "date").flatMap(HTTPDate.time)
        return (Int(response.status.code), Array(buffer.readableBytesView), date)
    }

    /// Posts bytes until the server replied; they may arrive more than once.
    ///
    /// - Parameters:
    ///   - path: the path, beginning with a slash.
    ///   - body: the bytes.
    /// - Returns: the status and the body.
    /// - Throws: ``SharingError`` when there is no reply within ``Attempts/patience``.
    func post(_ path: String, _ body: [UInt8]) async throws -> Response {
        try await self.reply(to: self.request(path, posting: body))
    }

    /// Reads what the server shows to the bearer of a permit.
    ///
    /// - Parameters:
    ///   - path: the path, beginning with a slash.
    ///   - authorization: the header's value.
    /// - Returns: the status and the body.
    /// - Throws: ``SharingError`` when there is no reply within ``Attempts/patience``.
    func fetch(_ path: String, authorization: String) async throws -> Response {
        var request = self.request(path)
        request.headers.add(name: "authorization", value: authorization)
        return try await self.reply(to: request)
    }

    private func reply(to request: HTTPClientRequest) async throws -> Response {
        let clock = ProcessClock()
        var generator = SystemRandomNumberGenerator()
        var attempts = Attempts(now: clock.now.monotonic)
        while true {
            let result: Result<Response, ConnectionFailure>
            do {
                let timeout = attempts.timeout(now: clock.now.monotonic)
                result = .success(try await self.attempt(request, timeout: timeout))
            } catch {
                result = .failure(ConnectionFailure(request: error))
            }
            // A busy server is asked again, as one that was not reached; one that is not trusted is not.
            if case .success(let response) = result, response.status < 500 { return response }
            guard !Task.isCancelled, result.failure != .untrusted,
                case .tryAgain(let again) = attempts.attemptFailed(now: clock.now.monotonic, using: &generator)
            else { return try result.mapError(self.unreachable).get() }
            try await clock.sleep(until: again)
        }
    }

    /// Reads a stream of server-sent events, each as the bytes after `data: `, until the server ends it.
    ///
    /// - Parameters:
    ///   - path: the path, beginning with a slash.
    ///   - authorization: the header's value.
    ///   - handle: called for each event.
    /// - Returns: the status.
    /// - Throws: when the connection breaks, or what `handle` throws.
    func events(_ path: String, authorization: String, _ handle: ([UInt8]) async throws -> Void) async throws -> Int {
        var request = self.request(path)
        request.headers.add(name: "authorization", value: authorization)
        let response = try await Self.http.execute(request, timeout: .seconds(120))
        guard response.status == .ok else { return Int(response.status.code) }
        var line: [UInt8] = []
        for try await buffer in response.body {
            for byte in buffer.readableBytesView {
                guard byte == UInt8(ascii: "\n") else {
                    guard line.count < Self.responseByteCountMax else {
                        throw SharingError(.network, "\(self.server) sent an event that is too long; check the address")
                    }
                    line.append(byte)
                    continue
                }
                if line.starts(with: "data: ".utf8) { try await handle(Array(line.dropFirst("data: ".utf8.count))) }
                line.removeAll(keepingCapacity: true)
            }
        }
        return Int(response.status.code)
    }

    /// Says that the server could not be reached, and why.
    func unreachable(_ failure: ConnectionFailure) -> SharingError {
        SharingError(.network, "\(self.server) cannot be reached: \(failure.words(trustRoots: "--trust-roots"))")
    }

    /// Says what the server found wrong.
    func rejected(_ response: Response) -> SharingError {
        let rejected = try? JSONReader().decode(Wire.Rejected.self, from: Data(response.body))
        return SharingError(
            .refused,
            rejected?.error
                ?? "\(self.server) answered with status \(response.status): no sharing server does; check the address"
        )
    }

    /// When the server says that one is welcome.
    func until(_ response: Response) -> WallTime? {
        let rejected = try? JSONReader().decode(Wire.Rejected.self, from: Data(response.body))
        return rejected?.until.map { WallTime(milliseconds: $0) }
    }

    private func request(_ path: String, posting body: [UInt8]) -> HTTPClientRequest {
        var request = self.request(path)
        request.method = .POST
        request.headers.add(name: "content-type", value: "application/octet-stream")
        request.body = .bytes(body)
        return request
    }

    private func request(_ path: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: self.server + path)
        request.tlsConfiguration = self.tls
        return request
    }
}

extension Result {
    fileprivate var failure: Failure? {
        switch self {
        case .success: nil
        case .failure(let failure): failure
        }
    }
}

internal import Foundation
internal import Synchronization
internal import WhereaboutsJSONReading
internal import WhereaboutsNetworkSupport
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Exchanges messages with the sharing server over a transport.
struct ServerConnection: Sendable {
    /// A complete reply, with the server's time if the reply has one.
    typealias Response = (status: Int, body: [UInt8], date: WallTime?)

    /// The server's address.
    let server: String
    private let transport: any ServerTransport
    private let lastDatabase = LastDatabase()
    /// The task that opens the first connection to each server; it does nothing if an exchange has opened one.
    private static let openings = Mutex<[String: Task<Void, Never>]>([:])

    /// The database that the last reply named; nil before the first reply, or if the server does not name it.
    var database: DatabaseID? { self.lastDatabase.id.withLock { $0 } }

    init(settings: ServerSettings, transport: (any ServerTransport)?) throws {
        self.server = settings.server
        self.transport = try transport ?? HTTPSTransport(settings: settings)
    }

    /// Begins to open a connection for the next exchange, unless this process has connected before.
    ///
    /// Call this only if a message follows in any case, because it shows the server that the device is awake.
    func connect() {
        Self.openings.withLock { [transport, server] openings in
            guard openings[server] == nil else { return }
            openings[server] = Task { await transport.connect(to: server) }
        }
    }

    /// Posts bytes once and reads the whole reply.
    ///
    /// - Parameters:
    ///   - path: the path, beginning with a slash.
    ///   - body: the bytes.
    ///   - timeout: the longest time for the whole exchange, including the attempt to connect.
    /// - Returns: the status and the body.
    /// - Throws: when no complete reply arrives; the server may have received the request anyway.
    func attempt(_ path: String, _ body: [UInt8], timeout: Duration) async throws -> Response {
        try await self.attempt(ServerRequest(url: self.server + path, body: body), timeout: timeout)
    }

    private func attempt(_ request: ServerRequest, timeout: Duration) async throws -> Response {
        let opening = Self.openings.withLock { openings in
            let opening = openings[self.server] ?? Task {}
            openings[self.server] = opening
            return opening
        }
        await opening.value
        let reply = try await self.transport.exchange(request, within: timeout)
        let database = reply.database.flatMap { DatabaseID($0) }
        self.lastDatabase.id.withLock { $0 = database }
        return (reply.status, reply.body, reply.date.flatMap(HTTPDate.time))
    }

    /// Posts bytes until the server replies; the server may receive them more than once.
    ///
    /// - Parameters:
    ///   - path: the path, beginning with a slash.
    ///   - body: the bytes.
    ///   - patience: how long to retry.
    /// - Returns: the status and the body.
    /// - Throws: ``SharingError`` when there is no reply within that time.
    func post(_ path: String, _ body: [UInt8], within patience: Duration = Attempts.patience) async throws -> Response {
        try await self.reply(to: ServerRequest(url: self.server + path, body: body), within: patience)
    }

    /// Reads a resource.
    ///
    /// - Parameters:
    ///   - path: the path, beginning with a slash.
    ///   - authorization: the header's value; nil for a resource that anyone who knows the path may read.
    /// - Returns: the status and the body.
    /// - Throws: ``SharingError`` when there is no reply within ``Attempts/patience``.
    func fetch(_ path: String, authorization: String? = nil) async throws -> Response {
        try await self.reply(to: ServerRequest(url: self.server + path, authorization: authorization))
    }

    private func reply(
        to request: ServerRequest,
        within patience: Duration = Attempts.patience
    ) async throws -> Response {
        let clock = ProcessClock()
        var generator = SystemRandomNumberGenerator()
        var attempts = Attempts(until: clock.now.monotonic.advanced(by: patience))
        while true {
            let result: Result<Response, ConnectionFailure>
            do {
                let timeout = attempts.timeout(now: clock.now.monotonic)
                result = .success(try await self.attempt(request, timeout: timeout))
            } catch {
                result = .failure(ConnectionFailure(request: error))
            }
            // Retry a busy or unreachable server, but not an untrusted one.
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
        var line: [UInt8] = []
        return try await self.transport.stream(
            ServerRequest(url: self.server + path, authorization: authorization)
        ) { bytes in
            for byte in bytes {
                guard byte == UInt8(ascii: "\n") else {
                    guard line.count < ServerReply.byteCountMax else {
                        throw SharingError(.network, "\(self.server) sent an event that is too long; check the address")
                    }
                    line.append(byte)
                    continue
                }
                if line.starts(with: "data: ".utf8) { try await handle(Array(line.dropFirst("data: ".utf8.count))) }
                line.removeAll(keepingCapacity: true)
            }
        }
    }

    /// Creates the error for a server that could not be reached.
    func unreachable(_ failure: ConnectionFailure) -> SharingError {
        SharingError(.network, "\(self.server) cannot be reached: \(failure.words(trustRoots: "--trust-roots"))")
    }

    /// Explains why a stream ended, if no connection to the server is possible; a silent stream may time out or break.
    func streamFailed(_ error: any Error, _ reaching: Reaching) {
        switch ConnectionFailure(request: error) {
        case .refused, .nameUnknown, .untrusted, .certificateRefused, .notTLS, .notHTTP2, .refusedByProxy:
            reaching.failed(self.unreachable(ConnectionFailure(request: error)).message)
        case .timedOut, .broken, .other: break
        }
    }

    /// Returns a response whose status means success, or is one of `others`.
    ///
    /// - Throws: ``SharingError`` with the server's rejection otherwise.
    @discardableResult
    func accepted(_ response: Response, or others: Int...) throws -> Response {
        guard (200..<300).contains(response.status) || others.contains(response.status) else {
            throw self.rejected(response)
        }
        return response
    }

    /// Creates the error for the server's rejection.
    func rejected(_ response: Response) -> SharingError {
        SharingError(
            .refused,
            Self.rejected(response)?.error
                ?? "\(self.server) answered with status \(response.status), so it is not a sharing server; check the address"
        )
    }

    /// When the server will accept the next attempt.
    func until(_ response: Response) -> WallTime? {
        Self.rejected(response)?.until.map { WallTime(milliseconds: $0) }
    }

    /// The rule that the server named.
    func rule(_ response: Response) -> Refusal? {
        Self.rejected(response)?.rule.flatMap(Refusal.init(rawValue:))
    }

    private static func rejected(_ response: Response) -> Wire.Rejected? {
        try? JSONReader().decode(Wire.Rejected.self, from: Data(response.body))
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

/// The database that the last reply named; guarded by its lock.
private final class LastDatabase: Sendable {
    let id = Mutex<DatabaseID?>(nil)
}

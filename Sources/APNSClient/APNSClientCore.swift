internal import APNS
internal import Crypto
internal import Logging
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL
internal import Vocabulary

/// The part of ``APNSClient`` on its event loop; everything here runs there, so that nothing needs a lock.
final class APNSClientCore {
    /// A connection, and the means to open streams on it.
    private struct Opened {
        let channel: any Channel
        let multiplexer: NIOHTTP2Handler.StreamMultiplexer
        let connection: APNSConnection
    }

    private enum State {
        case disconnected
        /// Requests wait for the future, each no longer than to its own deadline.
        case connecting(EventLoopFuture<Void>.Isolated)
        case connected(Opened)
        case stopped
    }

    /// A push under way; the promise is completed once.
    private final class Request {
        let push: LocationPush
        let promise: EventLoopPromise<APNSClient.Response>
        let startedAt = NIODeadline.now()
        var timeout: Scheduled<Void>?
        /// Where it was sent.
        var sent: (stream: any Channel, opened: Opened)?
        var isRetried = false
        var isDone = false

        init(push: LocationPush, promise: EventLoopPromise<APNSClient.Response>) {
            self.push = push
            self.promise = promise
        }
    }

    private let configuration: APNSClient.Configuration
    private let tls: NIOSSLContext
    private let eventLoop: any EventLoop
    private let logger: Logger
    private let now: @Sendable () -> Int64
    private var tokens: ProviderTokenSource
    private var state = State.disconnected
    private var inFlight = 0
    /// The waits before connecting, nil once a request is answered: servers take hasty reconnection for an attack.
    private var backoff: Backoff?
    private var lastFailure: (any Error)?

    init(
        configuration: APNSClient.Configuration,
        tls: NIOSSLContext,
        eventLoop: any EventLoop,
        logger: Logger,
        now: @escaping @Sendable () -> Int64
    ) {
        self.configuration = configuration
        self.tls = tls
        self.eventLoop = eventLoop
        self.logger = logger
        self.now = now
        self.tokens = ProviderTokenSource(
            teamID: configuration.teamID,
            keyID: configuration.keyID,
            key: configuration.key
        )
    }

    // MARK: Requests.

    func send(_ push: LocationPush) -> EventLoopFuture<APNSClient.Response> {
        let promise = self.eventLoop.makePromise(of: APNSClient.Response.self)
        guard Topic.isBundleIdentifier(push.bundleIdentifier) else {
            promise.fail(
                APNSError(
                    .malformedPush,
                    "the push names no bundle identifier; nothing was sent",
                    reason: .badTopic
                )
            )
            return promise.futureResult
        }
        guard self.inFlight < self.configuration.inFlightMax else {
            promise.fail(
                APNSError(
                    .tooManyInFlight,
                    "\(self.inFlight) pushes are under way, which is the limit; send more slowly"
                )
            )
            return promise.futureResult
        }
        self.inFlight += 1
        let request = Request(push: push, promise: promise)
        request.timeout = self.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(self.configuration.timeout)) {
            self.timedOut(request)
        }
        self.start(request)
        return promise.futureResult
    }

    private func start(_ request: Request) {
        switch self.state {
        case .connected(let opened) where opened.connection.isUsable:
            self.openStream(for: request, on: opened)
        case .connecting(let future):
            self.await(future, request)
        case .connected, .disconnected:
            self.await(self.connect(), request)
        case .stopped:
            self.finish(request, .failure(APNSError(.shutDown, "the client was shut down")))
        }
    }

    private func await(_ future: EventLoopFuture<Void>.Isolated, _ request: Request) {
        future.whenComplete { result in
            guard !request.isDone else { return }
            switch result {
            case .success: self.start(request)
            case .failure(let error): self.finish(request, .failure(self.cannotConnect(error)))
            }
        }
    }

    private func openStream(for request: Request, on opened: Opened) {
        let outcome = self.eventLoop.makePromise(of: APNSStreamHandler.Outcome.self)
        let created = self.eventLoop.makePromise(of: (any Channel).self)
        opened.multiplexer.createStreamChannel(promise: created) { stream in
            stream.eventLoop.makeCompletedFuture {
                try stream.pipeline.syncOperations.addHandler(APNSStreamHandler(outcome: outcome))
            }
        }
        created.futureResult.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let stream) where !request.isDone:
                request.sent = (stream, opened)
                self.write(request, to: stream)
            case .success(let stream): stream.close(promise: nil)
            case .failure(let error): outcome.succeed(.failed(error, isRefused: true))
            }
        }
        outcome.futureResult.assumeIsolated().whenSuccess { outcome in
            // In the next turn: by then the GOAWAY that ended the stream is known, too.
            self.eventLoop.assumeIsolated().execute { self.ended(request, outcome, on: opened) }
        }
    }

    private func write(_ request: Request, to stream: any Channel) {
        let push = request.push
        do {
            var random = SystemRandomNumberGenerator()
            var headers = HPACKHeaders()
            headers.add(name: ":method", value: "POST")
            headers.add(name: ":scheme", value: "https")
            headers.add(name: ":authority", value: self.configuration.host)
            headers.add(name: ":path", value: "/3/device/\(push.token.hex)", indexing: .nonIndexable)
            headers.add(
                name: HeaderName.authorization,
                value: "bearer \(try self.tokens.token(now: self.now()))",
                indexing: .nonIndexable
            )
            headers.add(
                name: HeaderName.id,
                value: (push.id ?? MessageID(using: &random)).text.lowercased(),
                indexing: .nonIndexable
            )
            headers.add(name: HeaderName.pushType, value: PushType.location.rawValue)
            headers.add(
                name: HeaderName.topic,
                value: PushType.location.topic(bundleIdentifier: push.bundleIdentifier)
            )
            headers.add(name: HeaderName.priority, value: String(push.priority.rawValue))
            headers.add(
                name: HeaderName.expiration,
                value: push.expiration.headerValue,
                indexing: .nonIndexable
            )
            stream.write(HTTP2Frame.FramePayload.headers(.init(headers: headers)), promise: nil)
            let body = ByteBuffer(bytes: push.payload)
            stream.writeAndFlush(
                HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(body), endStream: true)),
                promise: nil
            )
        } catch {
            self.finish(request, .failure(APNSError(.badConfiguration, "no provider token can be made: \(error)")))
            stream.close(promise: nil)
        }
    }

    private func ended(_ request: Request, _ outcome: APNSStreamHandler.Outcome, on opened: Opened) {
        switch outcome {
        case .answered(let result):
            opened.connection.responded()
            self.backoff = nil
            if case .failure(let error) = result, error.reason == .expiredProviderToken {
                // APNs never accepts another token on a connection that has seen a stale one.
                self.tokens.discard()
                self.retire(opened)
            }
            self.finish(request, result)
        case .failed(let error, let isRefused):
            guard !request.isDone else { return }
            let isUntouched = isRefused || self.isRefused(request)
            guard isUntouched, !request.isRetried else {
                return self.finish(
                    request,
                    .failure(
                        APNSError(
                            .connectionLost,
                            "the connection ended before the answer (\(error)); the push may have been accepted"
                        )
                    )
                )
            }
            request.isRetried = true
            request.sent = nil
            self.retire(opened)
            self.start(request)
        }
    }

    private func isRefused(_ request: Request) -> Bool {
        guard let (stream, opened) = request.sent,
            let id = try? stream.syncOptions?.getOption(HTTP2StreamChannelOptions.streamID)
        else { return false }
        return opened.connection.refused(id)
    }

    private func timedOut(_ request: Request) {
        guard let (stream, opened) = request.sent else {
            return self.finish(request, .failure(self.cannotConnect(self.lastFailure)))
        }
        // Nothing at all came since the request began: the path is gone, and TCP would find out much later.
        if opened.connection.lastRead < request.startedAt { opened.channel.close(promise: nil) }
        let limit = self.configuration.timeout
        self.finish(
            request,
            .failure(APNSError(.deadlineExceeded, "no answer within \(limit); the push may have been accepted"))
        )
        stream.close(promise: nil)
    }

    private func finish(_ request: Request, _ result: Result<APNSClient.Response, APNSError>) {
        guard !request.isDone else { return }
        request.isDone = true
        request.timeout?.cancel()
        self.inFlight -= 1
        request.promise.completeWith(result.mapError { $0 })
    }

    private func cannotConnect(_ error: (any Error)?) -> APNSError {
        APNSError(
            .cannotConnect,
            "\(self.configuration.host):\(self.configuration.port): no HTTP/2 connection "
                + "(\(error.map { "\($0)" } ?? "it took too long")); check the address, the port and the trust roots"
        )
    }

    // MARK: The connection.

    /// Starts no more requests on a connection; those under way may end, and then it is closed.
    private func retire(_ opened: Opened) {
        guard !opened.connection.isRetired else { return }
        opened.connection.isRetired = true
        let channel = opened.channel
        self.eventLoop.scheduleTask(in: TimeAmount(self.configuration.timeout)) { channel.close(promise: nil) }
    }

    private func connect() -> EventLoopFuture<Void>.Isolated {
        let connected = self.eventLoop.makePromise(of: Void.self)
        let isolated = connected.futureResult.assumeIsolated()
        self.state = .connecting(isolated)
        let wait = self.backoff?.next() ?? .zero
        self.backoff = self.backoff ?? Backoff(from: .milliseconds(100), to: .seconds(5))
        self.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(wait)) { self.connectNow(connected) }
        return isolated
    }

    private func connectNow(_ connected: EventLoopPromise<Void>) {
        let ready = self.eventLoop.makePromise(of: Void.self)
        let connection = APNSConnection(ready: ready)
        let bound = NIOLoopBound(connection, eventLoop: self.eventLoop)
        let multiplexers = self.eventLoop.makePromise(of: NIOHTTP2Handler.StreamMultiplexer.self)
        let context = self.tls
        // An address is verified as one: names only go into SNI.
        let host = self.configuration.host
        let name = (try? SocketAddress(ipAddress: host, port: 0)) == nil ? host : nil
        let timeout = TimeAmount(self.configuration.timeout)
        let deadline = self.eventLoop.scheduleTask(in: timeout) { ready.fail(ChannelError.connectTimeout(timeout)) }
        ClientBootstrap(group: self.eventLoop)
            .connectTimeout(timeout)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLClientHandler(context: context, serverHostname: name))
                    let multiplexer = try pipeline.configureHTTP2Pipeline(
                        mode: .client,
                        connectionConfiguration: .init(),
                        streamConfiguration: .init()
                    ) { $0.close() }
                    try pipeline.addHandler(bound.value)
                    multiplexers.succeed(multiplexer)
                }
            }
            .connect(host: host, port: self.configuration.port)
            .assumeIsolated()
            .whenComplete { result in
                switch result {
                case .failure(let error):
                    ready.fail(error)
                    multiplexers.fail(error)
                case .success(let channel):
                    ready.futureResult.whenFailure { _ in channel.close(promise: nil) }
                    ready.futureResult.and(multiplexers.futureResult).assumeIsolated().whenSuccess { _, multiplexer in
                        self.connected(
                            Opened(channel: channel, multiplexer: multiplexer, connection: connection),
                            connected
                        )
                    }
                }
            }
        ready.futureResult.assumeIsolated().whenComplete { result in
            deadline.cancel()
            if case .failure(let error) = result { self.connectFailed(error, connected) }
        }
    }

    private func connected(_ opened: Opened, _ connected: EventLoopPromise<Void>) {
        guard case .connecting = self.state else {
            opened.channel.close(promise: nil)
            return connected.fail(APNSError(.shutDown, "the client was shut down"))
        }
        self.lastFailure = nil
        opened.connection.failed = { [weak self] in self?.retire(opened) }
        self.state = .connected(opened)
        self.logger.info("connected to the push server")
        connected.succeed()
    }

    private func connectFailed(_ error: any Error, _ connected: EventLoopPromise<Void>) {
        self.lastFailure = error
        if case .connecting = self.state { self.state = .disconnected }
        self.logger.warning("cannot connect to the push server", metadata: ["error": "\(error)"])
        connected.fail(error)
    }

    func shutdown() -> EventLoopFuture<Void> {
        let previous = self.state
        self.state = .stopped
        guard case .connected(let opened) = previous, !opened.connection.isClosed else {
            return self.eventLoop.makeSucceededVoidFuture()
        }
        opened.channel.close(promise: nil)
        return opened.channel.closeFuture
    }
}

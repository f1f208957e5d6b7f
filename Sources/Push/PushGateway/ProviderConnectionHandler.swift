internal import CoreMetrics
internal import Foundation
internal import NIOCore
internal import NIOHPACK
internal import NIOHTTP2
internal import NIOSSL
internal import NIOTLS
internal import WhereaboutsAPNS
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// The shell of ``PushEngine/ProviderConnection``: the HTTP/2 connection of a provider, its timer, its provider token and its
/// requests.
///
/// It handles the frames of all streams without a channel for each, because creating a pipeline for one push costs more than
/// the push (ADR 0010). So it has the channels' tasks: it returns flow-control windows, counts streams and ends late ones.
/// It uses frames instead of HTTP/1 messages for two more reasons, on which clients depend: `:authority` may be absent
/// (Apple's own sample sends none), and a response must end with its last frame, HEADERS for 200 and one DATA for errors,
/// without an empty DATA frame after it.
///
/// The pushes of one read are submitted as one list, and answers that arrive together are written together.
final class ProviderConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    /// The maximum number of bytes of bodies in progress of a known provider: the window of its connection.
    static let bodiesBytesMax = 1 << 20
    /// The maximum number of streams that a provider without a valid token may reset.
    ///
    /// Source: our choice; such a provider has one stream at a time, and no reason to reset many.
    static let strangerResetsMax = 200
    /// The initial window of a connection (RFC 9113, 6.9.2), which also limits strangers' bodies.
    static let strangerBodiesBytesMax = 65_535
    /// The interval at which late requests are ended.
    ///
    /// Source: our choice; a sixth of the time that a request may take, which is exact enough for a timeout.
    private static let checkInterval = TimeAmount.seconds(5)
    /// The ping whose return shows that the provider received GOAWAY.
    private static let farewell = HTTP2PingData(withInteger: 0x7768_6572_6561_626F)

    private let receiver: PushReceiver
    private let now: @Sendable () -> WallTime
    private let connections: ConnectionRegistry
    private let metrics: GatewayMetrics
    var connection: ProviderConnection
    /// The parts that need the channel, while it is open.
    private(set) var attached: (context: ChannelHandlerContext, timer: DeadlineTimer, port: ProviderPort)?
    private var token: LastProviderToken
    var streams: [HTTP2StreamID: RequestStream] = [:]
    private var lastStreamID = HTTP2StreamID.rootStream
    /// The pushes of the present read.
    private var submitted: [SubmittedPush] = []
    /// The bytes of the connection's window that bodies occupy, and those that must be returned.
    private var (heldBytes, freeBytes) = (0, 0)
    private var windowBytes = ProviderConnectionHandler.strangerBodiesBytesMax
    private var isFlushDue = false
    private var hasBrokenRule = false
    /// The limit of malformed requests, which NIO does not count here: 200, and one more each 150 ms.
    private var malformed = GCRA(burst: 200, every: .milliseconds(150))
    /// The streams that the provider reset while it was a stranger.
    private var strangerResets = 0
    private var check: Scheduled<Void>?
    private var random = RandomReserve()
    /// Since when the provider has not read our answers.
    private var stuckSince: NIODeadline?

    init(
        keyring: ProviderKeyring,
        receiver: PushReceiver,
        connections: ConnectionRegistry,
        metrics: GatewayMetrics,
        isStrict: Bool,
        now: @escaping @Sendable () -> WallTime
    ) {
        self.connection = ProviderConnection(now: .onEventLoop(), isStrict: isStrict)
        self.token = LastProviderToken(of: keyring)
        self.receiver = receiver
        self.connections = connections
        self.metrics = metrics
        self.now = now
    }

    // MARK: The connection.

    func handlerAdded(context: ChannelHandlerContext) {
        let timer = DeadlineTimer(context.eventLoop) { [weak self] in self?.deadlineReached() }
        self.attached = (context, timer, ProviderPort(self, eventLoop: context.eventLoop))
        self.followDeadline()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.attached?.timer.follow(nil)
        self.attached = nil
        self.check?.cancel()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case let closed as StreamClosedEvent: self.streamClosed(closed.streamID)
        case is GatewayShutdown: self.end(.shutdown)
        case .handshakeCompleted as TLSUserEvent: self.handshakeEnded()
        case IdleStateHandler.IdleStateEvent.read: self.end(.idleTimeout)
        default: break
        }
        context.fireUserInboundEventTriggered(event)
    }

    /// Records that requests may arrive: TLS is established, or not used.
    func handshakeEnded() {
        self.connection.handshakeEnded(now: .onEventLoop())
        self.followDeadline()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // An error of one stream concerns only that stream, which was reset; TLS and TCP close by themselves. Any other
        // error breaks the rules of the connection: after GOAWAY, complete requests are answered, and it is closed.
        if StreamErrors.contains(error) {
            self.metrics.streamsReset(.malformed)
            return
        }
        if let error = error as? NIOSSLError {
            if case .handshakeFailed = error { self.metrics.providers.handshakeFailed(.malformed) }
            return
        }
        // Count only the first error, because later frames of the same read cause more errors.
        if !self.hasBrokenRule { self.metrics.connectionBroke(BrokenRule(error)) }
        self.hasBrokenRule = true
        // Send a GOAWAY for these limits of our own, because the HTTP/2 handler sends none for them.
        if error is IdleFrameFlood || error is MalformedRequestFlood || error is StrangerResets {
            self.nameLast(.tooManyRequests)
        }
        self.connection.ruleBroken(now: .onEventLoop())
        self.followDeadline()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        let isWritable = context.channel.isWritable
        self.stuckSince = isWritable ? nil : .now()
        // This fails only on a closed channel, which needs no reading.
        try? context.channel.syncOptions?.setOption(.autoRead, value: isWritable)
        self.checkLater(context)
        context.fireChannelWritabilityChanged()
    }

    func end(_ reason: Reason) {
        switch self.connection.endDecided(reason, now: .onEventLoop()) {
        case .ignore: break
        case .announce(let reason): self.announceEnd(reason)
        case .close: self.close()
        }
        self.followDeadline()
    }

    private func deadlineReached() {
        let wasShaking = self.connection.isShaking
        switch self.connection.deadlineReached(now: .onEventLoop()) {
        case .ignore: break
        case .announce(let reason): self.announceEnd(reason)
        case .nameLast(let reason): self.nameLast(reason)
        case .close:
            if wasShaking { self.metrics.providers.handshakeFailed(.slow) }
            self.answerRelayed()
            self.close()
        }
        self.followDeadline()
    }

    /// Answers the pushes that Apple has not answered when the connection ends, so that their sender knows that they may arrive.
    private func answerRelayed() {
        guard case .gateway(let host) = self.receiver, host.isRelay else { return }
        let open = self.streams.filter { if case .deciding = $0.value.state { true } else { false } }.keys
        for id in open { self.refuse(Rejection(.serviceUnavailable, relay: .unanswered), on: id) }
    }

    private func pingReturned() {
        switch self.connection.pingReturned(now: .onEventLoop()) {
        case .ignore: break
        case .nameLast(let reason): self.nameLast(reason)
        }
        self.followDeadline()
    }

    private func followDeadline() {
        self.attached?.timer.follow(self.connection.deadline)
    }

    private func announceEnd(_ reason: Reason) {
        self.goAway(reason, lastStream: GoAway.anyStream)
        self.write(.ping(Self.farewell, ack: false), on: .rootStream)
        self.flush()
    }

    private func nameLast(_ reason: Reason) {
        self.goAway(reason, lastStream: UInt32(Int(self.lastStreamID)))
    }

    private func goAway(_ reason: Reason, lastStream: UInt32) {
        let order = GoAway(reason: reason, lastStream: lastStream)
        self.attached?.context.triggerUserOutboundEvent(order, promise: nil)
    }

    /// Ends the connection, and tells the provider that this request and later ones were not processed.
    func end(before id: HTTP2StreamID, _ reason: Reason) {
        self.goAway(reason, lastStream: UInt32(max(0, Int(id) - 2)))
        self.connection.ruleBroken(now: .onEventLoop())
        for later in self.streams.keys.filter({ $0 >= id }) { self.streamClosed(later) }
        self.followDeadline()
    }

    /// Closes the connection after flushing the last answer, which would be lost otherwise.
    func close() {
        self.flush()
        self.attached?.context.close(promise: nil)
    }

    // MARK: Requests.

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = Self.unwrapInboundIn(data)
        switch frame.payload {
        case .headers(let headers): self.headersReceived(headers, on: frame.streamID)
        case .data(let data): self.dataReceived(data, on: frame.streamID)
        case .ping(Self.farewell, ack: true): self.pingReturned()
        case .rstStream where !self.connection.isKnown:
            self.strangerResets += 1
            if self.strangerResets > Self.strangerResetsMax {
                self.errorCaught(context: context, error: StrangerResets())
            }
        case .ping, .alternativeService, .goAway, .origin, .priority, .pushPromise, .rstStream, .settings,
            .windowUpdate:
            break  // Not for us: the HTTP/2 handler acts on them.
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        if !self.submitted.isEmpty, let port = self.attached?.port {
            let pushes = self.submitted
            self.submitted.removeAll(keepingCapacity: true)
            self.receiver.submit(pushes, from: port)
        }
        // Return half a window at a time; otherwise each push would cause a frame.
        if self.freeBytes > 0, 2 * (self.heldBytes + self.freeBytes) >= self.windowBytes {
            self.write(.windowUpdate(windowSizeIncrement: self.freeBytes), on: .rootStream)
            self.freeBytes = 0
        }
        if self.isFlushDue { self.flush() }
        context.fireChannelReadComplete()
    }

    private func headersReceived(_ frame: HTTP2Frame.FramePayload.Headers, on id: HTTP2StreamID) {
        if self.streams[id] != nil {
            // Trailers are ignored here, but may end the request.
            guard !frame.headers.contains(where: { $0.name.utf8.first == UInt8(ascii: ":") }) else {
                return self.resetMalformed(id)
            }
            if frame.endStream { self.perform(self.streams[id]?.ended(now: .now()), on: id) }
            return
        }
        // The GOAWAY named a lower stream ID, so the client will retry this request on a new connection. Accepting it
        // here would deliver the push twice.
        guard self.connection.takesRequests else { return }
        self.lastStreamID = max(self.lastStreamID, id)
        var request = PushRequest()
        for (name, value, _) in frame.headers { request.add(name, value) }
        guard !request.isMalformed else { return self.resetMalformed(id) }
        guard request.headerBytesCount <= Limits.headerBytesMax else { return self.reset(id, .headersTooLarge) }
        let responseID = request.messageID ?? MessageID(using: &self.random).text
        let wasKnown = self.connection.isKnown
        let evidence = self.token.evidence(authorization: request.authorization)
        do throws(Rejection) {
            let scope = try self.connection.requestBegan(evidence, now: self.now())
            var claims: ProviderClaims?
            if case .verified(let verified) = evidence { claims = verified }
            self.streams[id] = RequestStream(request, id: responseID, scope: scope, claims: claims, now: .now())
            if !wasKnown, self.connection.isKnown {
                guard self.becameKnown(evidence) else {
                    self.end(.serviceUnavailable)
                    throw Rejection(.serviceUnavailable)
                }
            }
            if frame.endStream { self.perform(self.streams[id]?.ended(now: .now()), on: id) }
        } catch {
            // The body of a stranger's request does not affect the answer, and is not stored.
            var stream = RequestStream(request, id: responseID, scope: .apps([]), now: .now())
            _ = stream.ended(now: .now())
            self.streams[id] = stream
            if case .mock(let mock, let number) = self.receiver {
                let fault = ProviderTokenReader.fault(evidence, authorization: request.authorization)
                mock.rejected(error.reason, fault, request, id: responseID, on: number)
            }
            self.refuse(error, on: id)
        }
        if let context = self.attached?.context { self.checkLater(context) }
    }

    private func dataReceived(_ frame: HTTP2Frame.FramePayload.Data, on id: HTTP2StreamID) {
        guard case .byteBuffer(var bytes) = frame.data else { return }
        let windowBytes = bytes.readableBytes + (frame.paddingBytes.map { $0 + 1 } ?? 0)
        self.heldBytes += windowBytes
        let action = self.streams[id]?.dataReceived(
            &bytes,
            windowBytes: windowBytes,
            isLast: frame.endStream,
            now: .now()
        )
        switch action {
        case .giveBack:
            self.giveBack(windowBytes)
            if !frame.endStream { self.write(.windowUpdate(windowSizeIncrement: windowBytes), on: id) }
        case .reset:
            self.giveBack(windowBytes)
            // The request was already answered, and the answer stands (RFC 9113, 8.1).
            self.reset(id, .bodyTooLarge, .noError)
        case .decide, .wait: self.perform(action, on: id)
        // The stream was reset meanwhile, or was never accepted.
        case nil: self.giveBack(windowBytes)
        }
    }

    private func perform(_ action: RequestStream.OnData?, on id: HTTP2StreamID) {
        switch action {
        case .decide(let request, let scope):
            guard let stream = self.streams[id] else { return }
            self.giveBack(stream.heldBytes)
            switch self.receiver {
            case .gateway(let host): self.submit(request, scope, stream, to: host, on: id)
            case .mock(let mock, let number):
                let outcome = mock.outcome(of: request, scope, id: stream.id, from: stream.claims, on: number)
                self.perform(outcome, on: id)
            }
        case .wait, .giveBack, .reset, nil: break
        }
    }

    private func submit(
        _ request: PushRequest,
        _ scope: TopicScope,
        _ stream: RequestStream,
        to host: GatewayHost,
        on id: HTTP2StreamID
    ) {
        let sender = stream.claims?.sender
        if host.isRelay, request.asksForAccount { return self.tellAccount(of: sender, scope, by: host, on: id) }
        do throws(Rejection) {
            let push = try request.validated(for: scope, id: stream.id, now: self.now())
            self.submitted.append(SubmittedPush(push: push, sender: sender, number: Int32(Int(id))))
        } catch {
            self.refuse(error, on: id)
        }
    }

    /// Answers a sender that requests its own account.
    private func tellAccount(of sender: Sender?, _ scope: TopicScope, by host: GatewayHost, on id: HTTP2StreamID) {
        guard let context = self.attached?.context else { return }
        guard let sender else { return self.refuse(Rejection(.forbidden, relay: .noSender), on: id) }
        let key = SenderKey(name: sender.name, pushesADay: sender.pushesADay, scope: scope)
        let handler = NIOLoopBound(self, eventLoop: context.eventLoop)
        context.eventLoop.makeFutureWithTask {
            try JSONEncoder.ofAnswers.encode(try await host.senders(sender.name, keys: [key]).first)
        }
        .whenComplete { result in
            switch result {
            case .success(let body): handler.value.answer(id, json: body)
            case .failure(let error):
                handler.value.refuse(error as? Rejection ?? Rejection(.internalServerError), on: id)
            }
            handler.value.flush()
        }
    }

    private func giveBack(_ bytes: Int) {
        self.heldBytes -= bytes
        self.freeBytes += bytes
    }

    private func streamClosed(_ id: HTTP2StreamID) {
        guard let stream = self.streams.removeValue(forKey: id) else { return }
        if case .reading = stream.state { self.giveBack(stream.heldBytes) }
        switch self.connection.requestEnded() {
        case .ignore: break
        // Close later: this runs during the write of the last frame, which would be lost otherwise.
        case .close: self.attached?.context.eventLoop.assumeIsolated().execute { [weak self] in self?.close() }
        }
    }

    private func reset(
        _ id: HTTP2StreamID,
        _ reason: GatewayMetrics.StreamReset,
        _ code: HTTP2ErrorCode = .enhanceYourCalm
    ) {
        self.metrics.streamsReset(reason)
        self.write(.rstStream(code), on: id)
    }

    private func resetMalformed(_ id: HTTP2StreamID) {
        self.reset(id, .malformed, .protocolError)
        guard !self.malformed.take(now: .onEventLoop()), let context = self.attached?.context else { return }
        self.errorCaught(context: context, error: MalformedRequestFlood())
    }

    // MARK: Provider tokens.

    /// Gives a provider with a valid token the limits of a known one.
    ///
    /// - Returns: false if the provider's team has reached its limit of connections.
    private func becameKnown(_ evidence: ProviderTokenEvidence) -> Bool {
        guard let channel = self.attached?.context.channel, case .verified(let claims) = evidence,
            self.connections.identified(channel, as: claims.teamID)
        else { return false }
        self.connections.showed(.known, channel)
        self.limitStreams(ProviderConnection.streamsMax)
        self.write(.windowUpdate(windowSizeIncrement: Self.bodiesBytesMax - self.windowBytes), on: .rootStream)
        self.windowBytes = Self.bodiesBytesMax
        self.followDeadline()
        return true
    }

    /// Announces the limit of streams after an answer, if the limit changes.
    private func limitStreams(after isAccepted: Bool) {
        switch self.connection.requestAnswered(isAccepted: isAccepted) {
        case .ignore: break
        case .limitStreams(let count): self.limitStreams(count)
        }
    }

    private func limitStreams(_ count: Int) {
        let streams = HTTP2Setting(parameter: .maxConcurrentStreams, value: count)
        self.write(.settings(.settings([streams])), on: .rootStream)
    }

    // MARK: Answers.

    /// Sends the gateway's answers to pushes of this connection.
    func answered(_ answers: [PushAnswer]) {
        for answer in answers { self.answer(HTTP2StreamID(Int(answer.number)), answer.rejection) }
        self.flush()
    }

    private func refuse(_ rejection: Rejection, on id: HTTP2StreamID) {
        self.metrics.replied(rejection)
        self.answer(id, rejection)
    }

    /// Accepts a request with another answer than a push has.
    func answer(_ id: HTTP2StreamID, status: Int = 200, channel: ChannelID? = nil, json body: Data?) {
        guard let stream = self.streams[id] else { return }
        self.streams[id]?.answered(now: .now())
        defer { self.limitStreams(after: true) }
        var headers = HPACKHeaders()
        headers.add(name: ":status", value: String(status))
        headers.add(name: stream.idName, value: stream.id, indexing: .nonIndexable)
        if let channel { headers.add(name: HeaderName.channelID, value: channel.text, indexing: .nonIndexable) }
        guard let body else { return self.write(.headers(.init(headers: headers, endStream: true)), on: id) }
        headers.add(name: "content-type", value: "application/json")
        self.write(.headers(.init(headers: headers)), on: id)
        self.write(.data(.init(data: .byteBuffer(ByteBuffer(bytes: body)), endStream: true)), on: id)
    }

    func answer(_ id: HTTP2StreamID, _ rejection: Rejection?) {
        guard let stream = self.streams[id] else { return }
        self.streams[id]?.answered(now: .now())
        defer { self.limitStreams(after: rejection == nil) }
        var headers = HPACKHeaders()
        headers.add(name: ":status", value: String(rejection?.reason.status ?? 200))
        headers.add(name: stream.idName, value: stream.id, indexing: .nonIndexable)
        guard let rejection else { return self.write(.headers(.init(headers: headers, endStream: true)), on: id) }
        if let word = rejection.relay { headers.add(name: HeaderName.relay, value: word.rawValue) }
        headers.add(name: "content-type", value: "application/json")
        self.write(.headers(.init(headers: headers, endStream: !stream.mayHaveBody)), on: id)
        guard stream.mayHaveBody else { return }
        let timestamp = rejection.timestamp.map { #","timestamp":\#($0.milliseconds)"# } ?? ""
        let body = ByteBuffer(string: #"{"reason":"\#(rejection.reason.rawValue)"\#(timestamp)}"#)
        self.write(.data(.init(data: .byteBuffer(body), endStream: true)), on: id)
    }

    func write(_ payload: HTTP2Frame.FramePayload, on id: HTTP2StreamID) {
        self.isFlushDue = true
        self.attached?.context.write(Self.wrapOutboundOut(HTTP2Frame(streamID: id, payload: payload)), promise: nil)
    }

    func flush() {
        self.isFlushDue = false
        self.attached?.context.flush()
    }

    // MARK: Requests and answers that take too long.

    private func checkLater(_ context: ChannelHandlerContext) {
        guard self.check == nil, !self.streams.isEmpty || self.stuckSince != nil else { return }
        self.check = context.eventLoop.assumeIsolated().scheduleTask(in: Self.checkInterval) { [weak self] in
            self?.endWhatIsLate()
        }
    }

    private func endWhatIsLate() {
        self.check = nil
        guard let context = self.attached?.context else { return }
        let due = NIODeadline.now() - RequestStream.timeout
        // End the connection of a client that does not read its answers (a full window, a dead path), which fill the memory.
        var isStuck = self.stuckSince.map { $0 <= due } ?? false
        for (id, stream) in self.streams where stream.since <= due {
            switch stream.state {
            case .reading: self.reset(id, .slow)
            case .answered: isStuck = true
            case .deciding: break  // Its answer is the store's to give, or Apple's, for which the relay waits 4 s.
            }
        }
        if isStuck {
            self.metrics.streamsReset(.unread)
            context.close(promise: nil)
        }
        if self.isFlushDue { self.flush() }
        self.checkLater(context)
    }
}

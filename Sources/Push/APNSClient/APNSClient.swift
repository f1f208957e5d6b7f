public import CoreMetrics
internal import Foundation
public import Logging
public import NIOCore
public import NIOPosix
internal import Synchronization
internal import Tracing
internal import WhereaboutsAPNS
internal import WhereaboutsNetworkSupport
internal import WhereaboutsPushEngine
package import WhereaboutsVocabulary

/// Sends pushes to Apple, or to a push gateway with the same protocol.
///
/// Keeps a few HTTP/2 connections for each key or certificate; the first push opens one, and the load decides about
/// more. Every call ends with the server's answer or at its deadline. A push that the server certainly did not process
/// (GOAWAY, a refused stream, a stale provider token) is sent again. Any other push without an answer is not, because a
/// duplicate would cost the device's budget; ``APNSError/mayHaveBeenAccepted`` is true then.
public final class APNSClient: Sendable {
    /// A key or certificate, with its pushes and connections.
    private struct Lane: Sendable {
        let credential: Credential
        let core: NIOLoopBoundBox<SenderCore>
        let eventLoop: any EventLoop
        let mailbox: Mailbox<Mail>
    }

    /// Events for a core, in order.
    private enum Mail: Sendable {
        case push(SenderCore.Call, ticket: UInt64, Cancellation)
        case cancelled(ticket: UInt64)
    }

    /// Whether the caller cancelled, perhaps before its push reached the event loop.
    private final class Cancellation: Sendable {
        private let flag = Atomic(false)
        var isSet: Bool { self.flag.load(ordering: .acquiring) }

        func set() {
            self.flag.store(true, ordering: .releasing)
        }
    }

    let configuration: Configuration
    private let lanes: [Lane]
    private let metrics: ClientMetrics
    private let tickets = Atomic<UInt64>(0)

    /// Creates a client; it connects with the first push.
    ///
    /// - Parameters:
    ///   - configuration: the destination, and the keys and certificates.
    ///   - group: the event loops of the client, one for each key or certificate; the group must outlive the client.
    ///   - logger: the log, which never contains a token or a payload.
    ///   - metrics: the factory of the counters `apns_client_…`.
    /// - Throws: ``APNSError`` naming a mistake in the configuration, and its remedy.
    public convenience init(
        configuration: Configuration,
        group: any EventLoopGroup = MultiThreadedEventLoopGroup.singleton,
        logger: Logger = Logger(label: "apns-client"),
        metrics: any MetricsFactory = MetricsSystem.factory
    ) throws {
        try self.init(configuration: configuration, group: group, logger: logger, metrics: metrics) {
            WallTime(timeIntervalSince1970: Date.now.timeIntervalSince1970)
        }
    }

    package init(
        configuration: Configuration,
        group: any EventLoopGroup,
        logger: Logger,
        metrics: any MetricsFactory,
        now: @escaping @Sendable () -> WallTime
    ) throws {
        try configuration.check(now: now())
        let metrics = ClientMetrics(metrics)
        self.configuration = configuration
        self.metrics = metrics
        let credentials = configuration.keys.map { .key($0) } + configuration.certificates.map(Credential.certificate)
        self.lanes = try credentials.map { credential in
            let eventLoop = group.next()
            let core = SenderCore(
                configuration,
                credential: credential,
                dialer: try Dialer(configuration, credential, eventLoop: eventLoop),
                eventLoop: eventLoop,
                logger: logger,
                metrics: metrics,
                now: now
            )
            let box = NIOLoopBoundBox.makeBoxSendingValue(core, eventLoop: eventLoop)
            let mailbox = Mailbox<Mail>(eventLoop) { mail in
                for mail in mail {
                    switch mail {
                    case .cancelled(let ticket): box.value.feed(.cancelled(ticket: ticket))
                    case .push(let call, _, let cancellation) where cancellation.isSet:
                        call.ended(.cancelled(wasSent: false), nil)
                    case .push(let call, let ticket, _): box.value.submit(call, ticket: ticket)
                    }
                }
                box.value.settle()
            }
            return Lane(credential: credential, core: box, eventLoop: eventLoop, mailbox: mailbox)
        }
    }

    /// Sends a push.
    ///
    /// - Parameter push: the push.
    /// - Returns: the outcome: accepted, which means that the server will try to deliver the push; rejected; or failed.
    public func send(_ push: Push) async -> PushResult {
        await self.send(push.type, push.mistake, app: push.bundleIdentifier, timeout: push.timeout) { host in
            PreparedRequest(push, host: host)
        }
    }

    /// Sends a push to a channel.
    ///
    /// - Parameter broadcast: the push.
    /// - Returns: the outcome: accepted, which means that Apple will try to deliver it; rejected; or failed.
    public func send(_ broadcast: Broadcast) async -> PushResult {
        let (app, mistake) = (broadcast.bundleIdentifier, broadcast.mistake)
        return await self.send(.liveactivity, mistake, app: app, timeout: broadcast.timeout) { host in
            PreparedRequest(broadcast, host: host)
        }
    }

    private func send(
        _ type: PushType,
        _ mistake: Reason?,
        app: String,
        timeout: Duration?,
        _ request: @escaping @Sendable (_ host: String) -> PreparedRequest
    ) async -> PushResult {
        let start = ContinuousClock.now
        let result = await withSpan("apns push", ofKind: .client) { span in
            span.attributes["server.address"] = self.configuration.endpoint.host
            span.attributes["apns.push_type"] = type.rawValue
            let result = await self.result(type, mistake, app: app, timeout: timeout, request)
            switch result {
            case .accepted(let accepted): span.attributes["apns.id"] = accepted.apnsID
            case .rejected(let rejected):
                span.attributes["apns.reason"] = rejected.reason.rawValue
                span.setStatus(SpanStatus(code: .error, message: rejected.reason.rawValue))
            case .failed(let error): span.setStatus(SpanStatus(code: .error, message: "\(error.code)"))
            }
            return result
        }
        self.metrics.ended(result, after: start.duration(to: .now))
        return result
    }

    private func result(
        _ type: PushType,
        _ mistake: Reason?,
        app: String,
        timeout: Duration?,
        _ request: (_ host: String) -> PreparedRequest
    ) async -> PushResult {
        if let reason = mistake {
            return .failed(
                APNSError(
                    .malformedPush,
                    "the push would be rejected (\(reason.rawValue)), and was not sent: \(reason.advice)",
                    reason.remedy,
                    reason: reason
                )
            )
        }
        let timeout = timeout ?? self.configuration.timeout
        do throws(APNSError) {
            let request = request(self.configuration.endpoint.host)
            let (outcome, failure) = try await self.outcome(of: request, app: app, type, timeout: timeout)
            return PushResult(outcome, failure, configuration: self.configuration, timeout: timeout)
        } catch {
            return .failed(error)
        }
    }

    /// Sends a request with the credential for its app.
    ///
    /// - Returns: the outcome, and the last failure to connect.
    /// - Throws: if there is no such credential.
    func outcome(
        of request: PreparedRequest,
        app: String,
        _ type: PushType,
        timeout: Duration
    ) async throws(APNSError) -> (PushPool.Outcome, ConnectionFailure?) {
        let named = self.lanes.first { $0.credential.names(app, type) }
        guard let lane = named ?? self.lanes.first(where: \.credential.isForAllApps) else {
            let isLocation = type == .location && self.configuration.certificates.contains { $0.app == app }
            let cause = isLocation ? "Apple accepts no location push with a certificate, and " : ""
            let words = "\(cause)no key is for \(app), and none for all apps; add one"
            throw APNSError(.badConfiguration, words, .changeConfiguration)
        }
        let ticket = self.tickets.add(1, ordering: .relaxed).newValue
        let cancellation = Cancellation()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let call = SenderCore.Call(request: request, timeout: timeout) { outcome, failure in
                    continuation.resume(returning: (outcome, failure))
                }
                lane.mailbox.add(.push(call, ticket: ticket, cancellation))
            }
        } onCancel: {
            cancellation.set()
            lane.mailbox.add(.cancelled(ticket: ticket))
        }
    }

    /// Accepts no more pushes, waits for those in progress, and closes all connections.
    public func shutdown() async {
        let ends = self.lanes.map { lane in
            let ended = lane.eventLoop.makePromise(of: Void.self)
            lane.eventLoop.execute { lane.core.value.shutdown(ended) }
            return ended.futureResult
        }
        // These futures never fail.
        for end in ends { try? await end.get() }
    }
}

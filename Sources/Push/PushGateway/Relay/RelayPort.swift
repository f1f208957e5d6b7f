internal import CoreMetrics
internal import Dispatch
internal import Logging
internal import NIOCore
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsPushEngine

/// The relay's connection to Apple: sends the pushes of the engine, and reports each outcome once.
final class RelayPort: Sendable {
    private let client: APNSClient
    private let underWay = DispatchGroup()

    /// - Throws: ``GatewayError`` naming the mistake in the configuration.
    init(
        _ configuration: APNSClient.Configuration,
        group: any EventLoopGroup,
        logger: Logger,
        metrics: any MetricsFactory
    ) throws {
        guard configuration.keys.allSatisfy({ !$0.apps.isEmpty }) else {
            throw GatewayError(
                .badKey,
                "the relay's key names no apps; add those that pushes are sent for, as in TEAM:KEY:FILE:com.example.FindFriends"
            )
        }
        do {
            self.client = try APNSClient(configuration: configuration, group: group, logger: logger, metrics: metrics)
        } catch {
            throw GatewayError(.badKey, "the relay: \(error)")
        }
    }

    /// Sends a push; `ended` is called once, from any thread.
    func send(_ push: ValidPush, ended: @escaping @Sendable (RelayEnd) -> Void) {
        self.underWay.enter()
        Task { [client, underWay] in
            ended(await Self.sent(push, by: client))
            underWay.leave()
        }
    }

    private static func sent(_ push: ValidPush, by client: APNSClient) async -> RelayEnd {
        guard let app = PushType.location.bundleIdentifier(of: push.topic),
            let payload = try? PushPayload(json: push.payload)
        else { return .unsent(nil) }
        let result = await client.send(
            Push(
                .location,
                token: push.token,
                bundleIdentifier: app,
                payload: payload,
                priority: push.priority,
                expiration: push.expiration,
                collapseID: push.collapseID,
                id: MessageID(push.id)
            )
        )
        return RelayEnd(result)
    }

    /// Accepts no more pushes; returns after each outcome was reported.
    func shutdown() async {
        await self.client.shutdown()
        await withCheckedContinuation { continuation in
            self.underWay.notify(queue: .global()) { continuation.resume() }
        }
    }
}

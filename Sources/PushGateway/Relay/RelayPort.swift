internal import APNS
internal import APNSClient
internal import CoreMetrics
internal import Dispatch
internal import Logging
internal import NIOCore
internal import PushEngine
internal import Vocabulary

/// The relay's way to Apple: sends what the engine decided, and reports each end once.
final class RelayPort: Sendable {
    /// How long a push may take, the opening of a connection included.
    ///
    /// Less than ``PushEngine/ProviderConnection/endingTimeout``, so that a gateway that stops still answers all of them.
    static let timeout = Duration.seconds(4)

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
        var configuration = configuration
        configuration.timeout = Self.timeout
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
        else { return .unanswered }
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
        switch result {
        case .accepted: return .accepted
        case .rejected(let rejected):
            return .rejected(rejected.reason, timestamp: rejected.timestamp.map { WallTime(milliseconds: $0) })
        case .failed(let error):
            // The client's own check of a push stands in for Apple's: it names the reason that Apple would have.
            return error.reason.map { .rejected($0, timestamp: nil) } ?? .unanswered
        }
    }

    /// Takes no more pushes; returns when the end of each was reported.
    func shutdown() async {
        await self.client.shutdown()
        await withCheckedContinuation { continuation in
            self.underWay.notify(queue: .global()) { continuation.resume() }
        }
    }
}

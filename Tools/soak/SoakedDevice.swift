internal import Crypto
internal import Foundation
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Synchronization
internal import WhereaboutsAPNS
internal import WhereaboutsJSONReading
internal import WhereaboutsPushEngine
internal import WhereaboutsPushLink
internal import WhereaboutsVocabulary

/// A device on the push link: its apps receive each push once, before it is acknowledged.
final class SoakedDevice: Sendable {
    static let bundle = "com.example.Soak"
    static let topic = PushType.location.topic(bundleIdentifier: SoakedDevice.bundle)
    private static let logger = Logger(label: "soak") { _ in SwiftLogNoOpLogHandler() }

    private struct Payload: Decodable {
        let number: Int
    }

    private struct State {
        var account = PushAccount()
        /// The received pushes, because a push arrives again if its acknowledgement was lost.
        var seen: Set<PushID> = []
        var client: PushLinkClient?
    }

    private let state = Mutex(State())
    private let tokens: AsyncStream<DeviceToken>
    private let token: AsyncStream<DeviceToken>.Continuation

    /// Creates a device and has it connect.
    init(_ configuration: PushLinkClient.Configuration) throws {
        (self.tokens, self.token) = AsyncStream.makeStream()
        let client = try PushLinkClient(
            configuration: configuration,
            key: Curve25519.Signing.PrivateKey(),
            group: MultiThreadedEventLoopGroup.singleton,
            logger: Self.logger,
            events: { [weak self] event in self?.happened(event) }
        )
        self.state.withLock { $0.client = client }
        client.setTopics([Self.topic])
        client.register(topic: Self.topic)
        client.start()
    }

    /// Returns its first token, once it has one.
    func firstToken() async -> DeviceToken? { await self.tokens.first { _ in true } }

    /// Reads or changes the device's account.
    func account<Value>(_ body: (inout PushAccount) -> sending Value) -> sending Value {
        self.state.withLock { body(&$0.account) }
    }

    func disconnect() async throws {
        try await self.state.withLock { $0.client }?.shutdown().get()
    }

    private func happened(_ event: PushLinkClient.Event) {
        switch event {
        case .registered(_, let token): self.token.yield(token)
        case .push(let push):
            let payload = try? JSONReader().decode(Payload.self, from: Data(push.payload))
            let client = self.state.withLock { state in
                if state.seen.insert(push.id).inserted, let payload { state.account.received(payload.number) }
                return state.client
            }
            client?.acknowledge(push.id)
        case .connected, .disconnected, .unregistered: break
        }
    }
}

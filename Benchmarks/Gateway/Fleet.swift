internal import Crypto
internal import Dispatch
internal import Logging
internal import NIOCore
internal import NIOPosix
internal import Synchronization
internal import WhereaboutsAPNS
internal import WhereaboutsAPNSClient
internal import WhereaboutsPushEngine
internal import WhereaboutsPushLink

/// Devices that accept pushes: each has one topic, and acknowledges every push.
final class Fleet: Sendable {
    static let bundle = "org.example.Bench"
    static let topic = PushType.location.topic(bundleIdentifier: Fleet.bundle)
    static let logger = Logger(label: "bench") { _ in SwiftLogNoOpLogHandler() }
    /// The devices that connect at a time before the gateway knows them: half of the connections of such devices from one address.
    private static let newcomersMax = 50

    /// One device's link; its events need it.
    private final class Member: Sendable {
        let tokens: AsyncStream<DeviceToken>
        private let token: AsyncStream<DeviceToken>.Continuation
        private let client = Mutex<PushLinkClient?>(nil)
        private let delivered = Atomic(0)
        /// The milliseconds from sending to receipt, of pushes with a time in their payload.
        private let ways = Mutex<[Double]>([])

        init() {
            (self.tokens, self.token) = AsyncStream.makeStream()
        }

        func connect(_ configuration: PushLinkClient.Configuration) throws {
            let client = try PushLinkClient(
                configuration: configuration,
                key: Curve25519.Signing.PrivateKey(),
                group: MultiThreadedEventLoopGroup.singleton,
                logger: Fleet.logger,
                events: { [weak self] event in self?.happened(event) }
            )
            self.client.withLock { $0 = client }
            client.setTopics([Fleet.topic])
            client.register(topic: Fleet.topic)
            client.start()
        }

        var pushesCount: Int { self.delivered.load(ordering: .relaxed) }

        func takeWays() -> [Double] {
            self.ways.withLock { ways in
                defer { ways = [] }; return ways
            }
        }

        func disconnect() async throws {
            try await self.client.withLock { $0 }?.shutdown().get()
        }

        private func happened(_ event: PushLinkClient.Event) {
            switch event {
            case .registered(_, let token): self.token.yield(token)
            case .push(let push):
                self.client.withLock { $0 }?.acknowledge(push.id)
                self.delivered.add(1, ordering: .relaxed)
                if let sent = Fleet.timeSent(in: push.payload) {
                    self.ways.withLock { $0.append(Double(DispatchTime.now().uptimeNanoseconds - sent) / 1e6) }
                }
            case .connected, .disconnected, .unregistered: break
            }
        }
    }

    let tokens: [DeviceToken]
    private let members: [Member]

    /// Connects devices, and sends each a push, so that the gateway knows them.
    init(count: Int, _ configuration: PushLinkClient.Configuration, provider: APNSClient) async throws {
        let members = (0..<count).map { _ in Member() }
        var tokens: [DeviceToken] = []
        for start in stride(from: 0, to: count, by: Self.newcomersMax) {
            let newcomers = members[start..<min(start + Self.newcomersMax, count)]
            for member in newcomers { try member.connect(configuration) }
            for member in newcomers {
                guard let token = await member.tokens.first(where: { _ in true }) else { continue }
                tokens.append(token)
                let push = Push(.location, token: token, bundleIdentifier: Self.bundle, expiration: .once)
                _ = try await provider.send(push).get()
            }
        }
        self.tokens = tokens
        self.members = members
    }

    /// The pushes that came and were acknowledged.
    var delivered: Int { self.members.reduce(0) { $0 + $1.pushesCount } }

    /// The milliseconds from the provider to the device of the pushes of ``payload()`` since the last call.
    func takeWays() -> [Double] { self.members.flatMap { $0.takeWays() } }

    /// A payload that contains the time of its creation, by the clock of this machine.
    static func payload() throws -> PushPayload {
        try PushPayload(json: Array("{\"t\":\(DispatchTime.now().uptimeNanoseconds)}".utf8))
    }

    /// The nanoseconds in a payload of ``payload()``; nil for another.
    private static func timeSent(in payload: [UInt8]) -> UInt64? {
        guard payload.starts(with: Array("{\"t\":".utf8)) else { return nil }
        return UInt64(String(decoding: payload.dropFirst(5).dropLast(), as: UTF8.self))
    }

    func disconnect() async throws {
        for member in self.members { try await member.disconnect() }
    }
}

internal import NIOCore
internal import Synchronization

/// The open connections of a listener: bounds their number, and ends them when the gateway stops.
final class ConnectionRegistry: Sendable {
    private let connectionsMax: Int
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    init(connectionsMax: Int) {
        self.connectionsMax = connectionsMax
    }

    /// Takes a connection in until it closes; returns false, having taken nothing in, when there are too many.
    func add(_ channel: any Channel) -> Bool {
        let isAdded = self.channels.withLock { channels in
            guard channels.count < self.connectionsMax else { return false }
            channels[ObjectIdentifier(channel)] = channel
            return true
        }
        guard isAdded else { return false }
        channel.closeFuture.whenComplete { _ in
            self.channels.withLock { $0[ObjectIdentifier(channel)] = nil }
        }
        return true
    }

    /// Tells every connection to end, and returns once all have; each has a deadline of its own for that.
    func end() async throws {
        let open = self.channels.withLock { Array($0.values) }
        for channel in open { channel.pipeline.fireUserInboundEventTriggered(GatewayShutdown()) }
        for channel in open { try await channel.closeFuture.get() }
    }
}

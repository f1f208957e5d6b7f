internal import CoreMetrics
internal import Logging
internal import NIOCore
internal import Synchronization
internal import Vocabulary

/// The open connections of a listener: gives them their places, and ends them when the gateway stops.
final class ConnectionRegistry: Sendable {
    private struct State {
        var places: Places<ObjectIdentifier>
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state: Mutex<State>
    private let metrics: GatewayMetrics.Connections
    private let notes: ThrottledNotes

    init(connectionsMax: Int, metrics: GatewayMetrics.Connections, notes: ThrottledNotes) {
        self.state = Mutex(State(places: Places(placesMax: connectionsMax)))
        self.metrics = metrics
        self.notes = notes
    }

    /// Takes a connection in until it closes, perhaps in place of a stranger's.
    ///
    /// - Returns: false, having taken nothing in, when there is no place for it.
    func add(_ channel: any Channel) -> Bool {
        let (action, replaced) = self.state.withLock { state in
            let address = AddressBlock(channel.remoteAddress)
            let action = state.places.arrived(ObjectIdentifier(channel), from: address)
            var replaced: (any Channel)?
            switch action {
            case .admit: state.channels[ObjectIdentifier(channel)] = channel
            case .replace(let stranger):
                replaced = state.channels.removeValue(forKey: stranger)
                state.channels[ObjectIdentifier(channel)] = channel
            case .refuse, .refuseAddress: break
            }
            return (action, replaced)
        }
        switch action {
        case .admit: break
        case .replace:
            self.metrics.replaced.increment()
            replaced?.close(promise: nil)
        case .refuse:
            self.metrics.refused.increment()
            self.notes.write(.warning, "every place is held by somebody known; a connection is turned away")
            return false
        case .refuseAddress:
            self.metrics.refusedByAddress.increment()
            self.notes.write(.info, "an address has its share of connections; one more is turned away")
            return false
        }
        self.metrics.open.increment(by: 1)
        channel.closeFuture.whenComplete { _ in
            self.metrics.open.decrement(by: 1)
            self.state.withLock { state in
                state.places.left(ObjectIdentifier(channel))
                state.channels[ObjectIdentifier(channel)] = nil
            }
        }
        return true
    }

    /// Records that the other end of a connection has shown more than before.
    func showed(_ standing: Places<ObjectIdentifier>.Standing, _ channel: any Channel) {
        self.state.withLock { $0.places.showed(standing, ObjectIdentifier(channel)) }
    }

    /// Tells every connection to end, and returns once all have; each has a deadline of its own for that.
    func end() async throws {
        let open = self.state.withLock { Array($0.channels.values) }
        for channel in open { channel.pipeline.fireUserInboundEventTriggered(GatewayShutdown()) }
        for channel in open { try await channel.closeFuture.get() }
    }
}

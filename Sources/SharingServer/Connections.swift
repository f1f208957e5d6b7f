internal import Foundation
internal import NIOCore
internal import Synchronization
internal import Vocabulary

/// The connections of the server, and who gives way when there are too many (``Places``).
final class Connections: Sendable {
    private struct State {
        var places: Places<ObjectIdentifier>
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state: Mutex<State>
    private let metrics: ServerMetrics

    init(max: Int, metrics: ServerMetrics) {
        self.state = Mutex(State(places: Places(placesMax: max)))
        self.metrics = metrics
    }

    /// Takes a place for a connection until it is closed.
    ///
    /// - Returns: whether there is one.
    func arrived(_ channel: any Channel) -> Bool {
        let (id, address) = (ObjectIdentifier(channel), Self.address(of: channel))
        let (refusal, replaced) = self.state.withLock { state -> (ServerMetrics.Reason?, (any Channel)?) in
            var replaced: (any Channel)?
            switch state.places.arrived(id, from: address) {
            case .admit: break
            case .replace(let stranger): replaced = state.channels.removeValue(forKey: stranger)
            case .refuseAddress: return (.address, nil)
            case .refuse: return (.places, nil)
            }
            state.channels[id] = channel
            self.metrics.connections(state.channels.count)
            return (nil, replaced)
        }
        if let refusal {
            self.metrics.refused(.connection, refusal)
            return false
        }
        self.metrics.took(.connection)
        if let replaced {
            self.metrics.refused(.connection, .displaced)
            replaced.close(promise: nil)
        }
        channel.closeFuture.whenComplete { _ in self.left(id) }
        return true
    }

    /// Records that something was let in which came on a connection.
    func served(_ channel: any Channel) {
        self.state.withLock { $0.places.showed(.known, ObjectIdentifier(channel)) }
    }

    /// Records that a connection was ended because nothing came on it.
    func waitedTooLong() {
        self.metrics.refused(.connection, .slow)
    }

    private func left(_ id: ObjectIdentifier) {
        self.state.withLock { state in
            state.places.left(id)
            state.channels[id] = nil
            self.metrics.connections(state.channels.count)
        }
    }

    /// The block of the address that a connection comes from.
    static func address(of channel: any Channel) -> AddressBlock {
        AddressBlock(channel.remoteAddress?.ipAddress.flatMap(Self.bytes) ?? [])
    }

    private static func bytes(of address: String) -> [UInt8]? {
        for (family, count) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: count)
            if unsafe inet_pton(family, address, &bytes) == 1 { return bytes }
        }
        return nil
    }
}

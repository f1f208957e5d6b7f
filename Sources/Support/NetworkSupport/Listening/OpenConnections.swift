package import NIOCore
internal import Synchronization
package import WhereaboutsVocabulary

/// The event that a connection receives before it is closed to make room for another one.
package struct GaveWay: Sendable {}

/// The open connections of a listener; ``ConnectionLimit`` decides which ones to accept and close.
package final class OpenConnections: Sendable {
    /// Actions returned by ``arrived(_:)``.
    package enum OnArrival: Sendable, Hashable {
        case serve
        /// Serve the connection; a stranger's connection was closed to make room.
        case serveInPlaceOfAStranger
        /// Close the connection: connections are scarce, and its address has used its share.
        case refuseAddress
        /// Close the connection: known peers hold all connections.
        case refuse
    }

    private typealias Limit = ConnectionLimit<ObjectIdentifier, String>

    private struct State {
        var limit: Limit
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state: Mutex<State>
    private let counted: @Sendable (Int) -> Void

    /// Creates a listener without connections.
    ///
    /// - Parameters:
    ///   - connectionsMax: the most open connections.
    ///   - counted: receives the number of open connections after each change; must not use this object.
    package init(connectionsMax: Int, counted: @escaping @Sendable (Int) -> Void) {
        self.state = Mutex(State(limit: Limit(connectionsMax: connectionsMax)))
        self.counted = counted
    }

    /// The connections that are open.
    package var all: [any Channel] { self.state.withLock { Array($0.channels.values) } }

    /// Records a new connection until it closes.
    ///
    /// A stranger's connection may be closed to make room.
    package func arrived(_ channel: any Channel) -> OnArrival {
        let id = ObjectIdentifier(channel)
        let address = AddressBlock(channel.remoteAddress)
        let (action, replaced) = self.state.withLock { state -> (OnArrival, (any Channel)?) in
            var (action, replaced) = (OnArrival.serve, (any Channel)?.none)
            switch state.limit.arrived(id, from: address) {
            case .admit: break
            case .replace(let stranger):
                (action, replaced) = (.serveInPlaceOfAStranger, state.channels.removeValue(forKey: stranger))
            case .refuseAddress: return (.refuseAddress, nil)
            case .refuse: return (.refuse, nil)
            }
            state.channels[id] = channel
            self.counted(state.channels.count)
            return (action, replaced)
        }
        switch action {
        case .serve, .serveInPlaceOfAStranger: channel.closeFuture.whenComplete { _ in self.left(id) }
        case .refuseAddress, .refuse: break
        }
        // Send the event first, so that the handler does not mistake the close for a network failure.
        replaced?.pipeline.fireUserInboundEventTriggered(GaveWay())
        replaced?.cut()
        return action
    }

    /// Records that the peer of a connection has earned more trust.
    package func showed(_ trust: ConnectionTrust, _ channel: any Channel) {
        self.state.withLock { $0.limit.showed(trust, ObjectIdentifier(channel)) }
    }

    /// Records the key of a connection's peer.
    ///
    /// - Returns: false if connections are scarce and the key has used its share; the caller must close the connection.
    package func identified(_ channel: any Channel, as key: String) -> Bool {
        self.state.withLock { $0.limit.identified(ObjectIdentifier(channel), as: key) == .keep }
    }

    private func left(_ id: ObjectIdentifier) {
        self.state.withLock { state in
            state.limit.left(id)
            guard state.channels.removeValue(forKey: id) != nil else { return }
            self.counted(state.channels.count)
        }
    }
}

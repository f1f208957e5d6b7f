package import NIOCore
internal import Synchronization
package import WhereaboutsVocabulary

/// An event in the pipeline of a connection that is closed to make room for another one.
package struct GaveWay: Sendable {}

/// The open connections of a listener, which ``ConnectionLimit`` admits and ends.
package final class OpenConnections: Sendable {
    /// Actions returned by ``arrived(_:)``.
    package enum OnArrival: Sendable, Hashable {
        case serve
        /// Serve it; a stranger's connection was closed for it.
        case serveInPlaceOfAStranger
        /// Close it: places are scarce, and its address has its share.
        case refuseAddress
        /// Close it: known peers hold all connections.
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
    ///   - connectionsMax: how many may be open at a time.
    ///   - counted: learns how many are open, one change after the other; calls nothing of this.
    package init(connectionsMax: Int, counted: @escaping @Sendable (Int) -> Void) {
        self.state = Mutex(State(limit: Limit(connectionsMax: connectionsMax)))
        self.counted = counted
    }

    /// The connections that are open.
    package var all: [any Channel] { self.state.withLock { Array($0.channels.values) } }

    /// Records a connection until it closes.
    ///
    /// A stranger's may be closed for it.
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
        // Send the event first, so that the handler does not treat the end as a network failure.
        replaced?.pipeline.fireUserInboundEventTriggered(GaveWay())
        replaced?.close(promise: nil)
        return action
    }

    /// Records that the peer of a connection has earned more trust.
    package func showed(_ trust: ConnectionTrust, _ channel: any Channel) {
        self.state.withLock { $0.limit.showed(trust, ObjectIdentifier(channel)) }
    }

    /// Records the owner of a connection.
    ///
    /// - Returns: false if places are scarce and the key has its share: close the connection.
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

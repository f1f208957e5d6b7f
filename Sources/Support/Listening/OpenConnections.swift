package import NIOCore
internal import Synchronization
package import WhereaboutsVocabulary

/// An event in the pipeline of a connection that is about to be closed, as another one gets its place.
package struct GaveWay: Sendable {}

/// The open connections of a listener: each holds a place until it closes, and a stranger gives way when all are taken.
package final class OpenConnections: Sendable {
    /// How much the other end of a connection has shown.
    package typealias Trust = Places<ObjectIdentifier>.Trust

    /// Actions returned by ``arrived(_:)``.
    package enum OnArrival: Sendable, Hashable {
        /// Serve it.
        case serve
        /// Serve it; a stranger was closed for it.
        case serveInPlaceOfAStranger
        /// Close it: its address has as many strangers as it may.
        case refuseAddress
        /// Close it: everybody who is in is known.
        case refuse
    }

    private struct State {
        var places: Places<ObjectIdentifier>
        var channels: [ObjectIdentifier: any Channel] = [:]
    }

    private let state: Mutex<State>
    private let counted: @Sendable (Int) -> Void

    /// Creates places that nobody holds.
    ///
    /// - Parameters:
    ///   - placesMax: how many connections may be open at a time.
    ///   - counted: hears how many are open, one change after the other; calls nothing of this.
    package init(placesMax: Int, counted: @escaping @Sendable (Int) -> Void) {
        self.state = Mutex(State(places: Places(placesMax: placesMax)))
        self.counted = counted
    }

    /// The connections that are open.
    package var all: [any Channel] { self.state.withLock { Array($0.channels.values) } }

    /// Takes a place for a connection until it closes, perhaps that of a stranger.
    package func arrived(_ channel: any Channel) -> OnArrival {
        let id = ObjectIdentifier(channel)
        let address = AddressBlock(channel.remoteAddress)
        let (action, replaced) = self.state.withLock { state -> (OnArrival, (any Channel)?) in
            var (action, replaced) = (OnArrival.serve, (any Channel)?.none)
            switch state.places.arrived(id, from: address) {
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
        // Told first, so that its handler does not take the end for a failure of the network.
        replaced?.pipeline.fireUserInboundEventTriggered(GaveWay())
        replaced?.close(promise: nil)
        return action
    }

    /// Records that the other end of a connection has shown more than before.
    package func showed(_ trust: Trust, _ channel: any Channel) {
        self.state.withLock { $0.places.showed(trust, ObjectIdentifier(channel)) }
    }

    private func left(_ id: ObjectIdentifier) {
        self.state.withLock { state in
            state.places.left(id)
            guard state.channels.removeValue(forKey: id) != nil else { return }
            self.counted(state.channels.count)
        }
    }
}

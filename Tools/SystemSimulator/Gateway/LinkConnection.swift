internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// The device's end of a connection: a device, or a stranger.
protocol LinkPeer: AnyObject {
    /// The machine of this end.
    var node: Node { get }
    func received(_ message: GatewayMessage, on connection: LinkConnection) throws
    func ended(_ connection: LinkConnection, _ reason: String) throws
}

/// A model of one TCP connection between a device and the gateway: ordered, without loss, until it breaks.
///
/// A connection breaks without notice: each end detects it by its own deadlines.
final class LinkConnection {
    /// An end of the connection.
    private enum End {
        case device
        case gateway
    }

    let id: LinkID
    /// The peer's address: each machine has another one.
    let address: AddressBlock
    private unowned let peer: any LinkPeer
    private unowned let world: Simulation
    private var openEnds: Set<End> = [.device]
    /// Whether nothing passes any more.
    private var isBroken = false
    /// When the last piece on the way to each end arrives; no later piece overtakes it.
    private var lastArrivals: [End: Instant] = [:]
    /// Whether the gateway accepted the device's proof.
    private(set) var isWelcome = false

    init(_ peer: any LinkPeer, _ world: Simulation) {
        self.id = world.nextLink()
        self.address = peer.node.id.address
        self.peer = peer
        self.world = world
    }

    /// The device opens the connection: TCP and TLS in one step.
    func open() {
        self.carry(to: .gateway) {
            guard self.world.gateway.isUp else {
                return self.carry(to: .device) { self.ended(at: .device, "nobody listens") }
            }
            self.openEnds.insert(.gateway)
            self.world.gateway.perform { try self.world.gateway.accepted(self) }
        }
    }

    func send(_ message: DeviceMessage) {
        guard self.openEnds.contains(.device) else { return }
        self.carry(to: .gateway) {
            guard self.openEnds.contains(.gateway) else { return }
            self.world.gateway.perform { try self.world.gateway.received(message, on: self) }
        }
    }

    func send(_ message: GatewayMessage) {
        guard self.openEnds.contains(.gateway) else { return }
        if case .welcome = message { self.isWelcome = true }
        self.carry(to: .device) {
            guard self.openEnds.contains(.device) else { return }
            self.peer.node.perform { try self.peer.received(message, on: self) }
        }
    }

    /// The device closed the connection, or its locationd died; its kernel notifies the gateway.
    func closedByDevice() {
        guard self.openEnds.remove(.device) != nil else { return }
        self.carry(to: .gateway) { self.ended(at: .gateway, "") }
    }

    /// The gateway closed the connection, or died; its kernel notifies the device.
    func closedByGateway() {
        guard self.openEnds.remove(.gateway) != nil else { return }
        self.carry(to: .device) { self.ended(at: .device, "the connection was closed") }
    }

    private func ended(at end: End, _ reason: String) {
        guard self.openEnds.remove(end) != nil else { return }
        switch end {
        case .device: self.peer.node.perform { try self.peer.ended(self, reason) }
        case .gateway: self.world.gateway.perform { try self.world.gateway.ended(self) }
        }
    }

    /// Carries a message to one end, after all earlier messages.
    private func carry(to end: End, _ arrive: @escaping () -> Void) {
        let gateway = self.world.gateway
        let (from, to): (Node, Node) =
            switch end {
            case .device: (gateway, self.peer.node)
            case .gateway: (self.peer.node, gateway)
            }
        let way = Network.Way(from: from.id, to: to.id)
        guard !self.isBroken, let delay = self.world.network.passage(on: way, now: self.world.now) else {
            if !self.isBroken { self.world.census.add("link breaks") }
            return self.isBroken = true
        }
        let arrival = max(self.lastArrivals[end] ?? .start, self.world.now.advanced(by: delay + to.slowness))
        self.lastArrivals[end] = arrival
        self.world.later(self.world.now.duration(to: arrival), arrive)
    }
}

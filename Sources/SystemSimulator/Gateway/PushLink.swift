internal import PushEngine

/// One connection of a device to the gateway: ordered, without loss, until it breaks.
final class PushLink {
    /// How long the device waits for a pong before it gives the connection up (PushLinkCore).
    private static let pongPatience = Duration.seconds(10)

    let id: LinkID
    unowned let device: DeviceNode
    private unowned let world: Simulation
    /// Whether each end believes in it.
    private(set) var isOpenAtDevice = true
    private var isOpenAtGateway = true
    /// When the last piece on each way arrives; no later one overtakes it.
    private var lastArrival = (up: Instant.start, down: Instant.start)

    init(_ id: LinkID, _ device: DeviceNode, _ world: Simulation) {
        self.id = id
        self.device = device
        self.world = world
    }

    // MARK: What the ends send

    func send(_ frame: GatewayNode.Frame) {
        guard self.isOpenAtGateway else { return }
        let way = Network.Way(from: .gateway, to: self.device.id)
        guard let delay = self.world.network.passage(on: way, now: self.world.now) else { return self.breaks() }
        let arrival = max(self.lastArrival.down, self.world.now.advanced(by: delay + self.device.slowness))
        self.lastArrival.down = arrival
        self.world.later(self.world.now.duration(to: arrival)) { [self] in
            guard self.isOpenAtDevice else { return }
            self.device.perform { try self.device.received(frame, on: self) }
        }
    }

    func send(_ request: Gateway.DeviceRequest) {
        guard self.isOpenAtDevice else { return }
        let way = Network.Way(from: self.device.id, to: .gateway)
        guard let delay = self.world.network.passage(on: way, now: self.world.now) else { return self.breaks() }
        let gateway = self.world.gateway
        let arrival = max(self.lastArrival.up, self.world.now.advanced(by: delay + gateway.slowness))
        self.lastArrival.up = arrival
        self.world.later(self.world.now.duration(to: arrival)) { [self] in
            guard self.isOpenAtGateway else { return }
            gateway.perform { try gateway.requested(request, on: self) }
        }
    }

    // MARK: How it ends

    /// Nothing passes any more: each end finds out by itself.
    func breaks() {
        let device = self.device
        if self.isOpenAtGateway {
            self.isOpenAtGateway = false
            self.world.gateway.fellSilent(self)
        }
        guard self.isOpenAtDevice else { return }
        self.world.later(Self.pongPatience) { [self] in self.deviceNotices(device) }
    }

    /// The gateway hung up, or died: its system tells the device, unless nothing passes.
    func gatewayLost() {
        self.isOpenAtGateway = false
        let device = self.device
        let way = Network.Way(from: .gateway, to: device.id)
        let delay = self.world.network.passage(on: way, now: self.world.now) ?? Self.pongPatience
        self.world.later(delay) { [self] in self.deviceNotices(device) }
    }

    /// The device hung up, or its locationd died: its system tells the gateway, unless nothing passes.
    func deviceLost() {
        self.isOpenAtDevice = false
        guard self.isOpenAtGateway else { return }
        let gateway = self.world.gateway
        guard
            let delay = self.world.network.passage(
                on: Network.Way(from: self.device.id, to: .gateway),
                now: self.world.now
            )
        else {
            return self.breaks()
        }
        self.world.later(delay) { [self] in
            guard self.isOpenAtGateway else { return }
            self.isOpenAtGateway = false
            gateway.perform { try gateway.closed(self) }
        }
    }

    private func deviceNotices(_ device: DeviceNode) {
        guard self.isOpenAtDevice else { return }
        self.isOpenAtDevice = false
        device.perform { device.linkEnded(self) }
    }
}

internal import APNS
internal import LocationEngine
internal import PushEngine

/// The device's connection to the gateway, as `PushLinkCore` and `GatewayLink` keep it.
extension DeviceNode {
    /// What is known of the connection.
    struct LinkState {
        var open: PushLink?
        var wishes = TopicWishes()
        var enabled: [String] = []
        var failures = 0
        /// Counts the attempts, so that what an earlier one brings is ignored.
        var attempt: UInt64 = 0
    }

    private static let suffix = ".location-query"
    private static let handshakeTimeout = Duration.seconds(10)

    func linkLost() {
        self.link.open?.deviceLost()
        self.link = LinkState()
    }

    // MARK: Connecting

    func connectSoon() {
        self.link.attempt += 1
        let attempt = self.link.attempt
        let most = min(30_000, 500 << min(self.link.failures, 6))
        self.link.failures += 1
        let wait = Duration.milliseconds(Int.random(in: most / 2...most * 3 / 2, using: &self.random))
        self.later(wait) { [unowned self] in
            guard attempt == self.link.attempt else { return }
            self.connect(attempt)
        }
    }

    private func connect(_ attempt: UInt64) {
        let gateway = self.world.gateway
        self.later(Self.handshakeTimeout) { [unowned self] in
            if attempt == self.link.attempt, self.link.open == nil { self.connectSoon() }
        }
        let there = Network.Way(from: self.id, to: .gateway)
        let back = Network.Way(from: .gateway, to: self.id)
        guard let delay = self.world.network.passage(on: there, now: self.world.now) else { return }
        let link = PushLink(self.world.nextLink(), self, self.world)
        self.world.later(delay + gateway.slowness) { [unowned self] in
            guard gateway.isUp else { return }
            gateway.perform { try gateway.opened(link) }
            guard let delay = self.world.network.passage(on: back, now: self.world.now) else { return link.breaks() }
            self.later(delay + self.slowness) { [unowned self] in
                guard attempt == self.link.attempt, self.link.open == nil, link.isOpenAtDevice else {
                    return link.deviceLost()
                }
                self.opened(link)
            }
        }
    }

    private func opened(_ link: PushLink) {
        self.link.open = link
        self.link.failures = 0
        self.trace("connects to the gateway", link.id.rawValue)
        for request in self.link.wishes.requests {
            switch request {
            case .register(let topic): link.send(.register(topic: topic))
            case .unregister(let topic): link.send(.unregister(topic: topic))
            }
        }
        link.send(.enableTopics(self.link.enabled))
    }

    func linkEnded(_ link: PushLink) {
        guard self.link.open === link else { return }
        self.link.open = nil
        self.trace("loses the gateway", link.id.rawValue)
        self.connectSoon()
    }

    // MARK: What it says and hears

    func register(_ bundle: BundleID) {
        self.link.wishes.register(bundle.rawValue + Self.suffix)
        self.link.open?.send(.register(topic: bundle.rawValue + Self.suffix))
    }

    func unregister(_ bundle: BundleID) {
        self.link.wishes.unregister(bundle.rawValue + Self.suffix)
        self.link.open?.send(.unregister(topic: bundle.rawValue + Self.suffix))
    }

    func enable(_ bundles: [BundleID]) {
        self.link.enabled = bundles.map { $0.rawValue + Self.suffix }
        self.link.open?.send(.enableTopics(self.link.enabled))
    }

    func received(_ frame: GatewayNode.Frame, on link: PushLink) throws {
        guard self.link.open === link else { return }
        switch frame {
        case .registered(let record):
            if let bundle = Self.bundle(of: record.topic) {
                try self.feed(.pushTokenReceived(bundle, record.token.bytes))
            }
        case .unregistered(let topic):
            self.link.wishes.unregistered(topic)
            if let bundle = Self.bundle(of: topic) { try self.feed(.topicUnregistered(bundle)) }
        case .push(let stored):
            if let push = self.push(stored) { try self.take(push, stored.id.bytes) }
        }
    }

    private func take(_ push: Push, _ id: [UInt8]) throws {
        do {
            try self.save(push)
        } catch is DiskFull {
            self.trace("cannot save a push", push.id.low)
            // As locationd does, without its bound: a device has few topics.
            return self.later(.seconds(2)) { [unowned self] in try self.take(push, id) }
        }
        self.link.open?.send(.acknowledge(id: id))
        self.world.auditors.pushes.acknowledged(push, by: self)
        try self.feed(.pushReceived(push))
    }

    private static func bundle(of topic: String) -> BundleID? {
        topic.hasSuffix(self.suffix) ? BundleID(String(topic.dropLast(self.suffix.count))) : nil
    }

    private func push(_ stored: StoredPush) -> Push? {
        guard let bundle = Self.bundle(of: stored.topic) else { return nil }
        let halves = [stored.id.bytes.prefix(8), stored.id.bytes.suffix(8)].map {
            $0.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        var expiration: LocationEngine.WallTime?
        if case .until(let seconds) = stored.expiration { expiration = .init(microseconds: seconds * 1_000_000) }
        return Push(
            id: LocationEngine.PushID(high: halves[0], low: halves[1]),
            bundle: bundle,
            payload: stored.payload,
            priority: Push.Priority(rawValue: stored.priority.rawValue) ?? .passive,
            collapseID: stored.collapseID,
            expiration: expiration,
            received: self.engineNow.monotonic
        )
    }
}

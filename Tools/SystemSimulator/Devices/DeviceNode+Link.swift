internal import DequeModule
internal import OrderedCollections
internal import WhereaboutsAPNS
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// The device's link to the gateway: the real engine, on a model of a connection.
extension DeviceNode: LinkPeer {
    var node: Node { self }

    /// The link in one life of locationd.
    struct LinkState {
        var side = DeviceSide()
        /// The connection of the newest attempt.
        var connection: LinkConnection?
        var alarm: Alarm?
        /// The messages that the device has not read yet.
        var unread: Deque<GatewayMessage> = []
        /// Whether `readOn()` runs now.
        var isReading = false
    }

    func startLink() throws {
        self.link.alarm = Alarm(self) { [unowned self] in try self.feed(link: .deadlineReached) }
        try self.feed(link: .started)
    }

    func linkLost() {
        self.link.connection?.closedByDevice()
        self.link = LinkState()
    }

    // MARK: Its connection

    func received(_ message: GatewayMessage, on connection: LinkConnection) throws {
        guard self.link.connection === connection else { return }
        self.link.unread.append(message)
        try self.readOn()
    }

    /// Reads the gateway's messages as long as the core accepts them.
    func readOn() throws {
        // Each message calls this again: thousands of waiting messages would overflow the stack.
        guard !self.link.isReading else { return }
        self.link.isReading = true
        defer { self.link.isReading = false }
        while self.core.readsGateway, let message = self.link.unread.popFirst() {
            try self.feed(link: .received(message))
        }
    }

    func ended(_ connection: LinkConnection, _ reason: String) throws {
        guard self.link.connection === connection else { return }
        try self.feed(link: .connectionEnded(reason: reason))
    }

    // MARK: Its owner

    func perform(_ order: Engine.GatewayOrder) throws {
        switch order {
        case .register(let bundle): try self.feed(link: .registrationWanted(topic: bundle.locationTopic))
        case .unregister(let bundle): try self.feed(link: .registrationUnwanted(topic: bundle.locationTopic))
        case .enable(let bundles): try self.feed(link: .topicsEnabled(bundles.map(\.locationTopic)))
        }
    }

    private func heard(_ event: DeviceSide.Event) throws {
        switch event {
        case .connected: self.trace("connects to the gateway")
        case .disconnected: self.trace("loses the gateway")
        case .registered(let topic, let token):
            if let bundle = BundleID(locationTopic: topic) { try self.feed(.pushTokenReceived(bundle, token.bytes)) }
        case .unregistered(let topic):
            if let bundle = BundleID(locationTopic: topic) { try self.feed(.topicUnregistered(bundle)) }
        case .push(let stored):
            if let push = Push(stored, received: self.engineNow.monotonic) { try self.feed(.pushArrived(push)) }
        }
    }

    func acknowledge(_ push: PushID) throws {
        try self.feed(link: .pushSaved(push))
        self.world.auditors.disks.acknowledged(push, by: self)
        if let kept = self.files.spool[push] { self.world.auditors.pushes.acknowledged(kept, by: self) }
    }

    // MARK: The engine

    private func feed(link input: DeviceSide.Input) throws {
        let effects = self.link.side.handle(input, now: self.engineNow.monotonic, using: &self.random)
        for effect in effects { try self.perform(effect) }
        self.link.alarm?.follow(self.link.side.deadline)
    }

    private func perform(_ effect: DeviceSide.Effect) throws {
        switch effect {
        case .connect:
            let connection = LinkConnection(self, self.world)
            self.link.unread = []
            self.link.connection = connection
            connection.open()
        case .disconnect:
            self.link.connection?.closedByDevice()
            self.link.connection = nil
        case .sign(let nonce):
            // A model of a signature: the nonce itself.
            self.link.connection?.send(.proof(LinkProof(device: self.key, signature: nonce)))
        case .send(let message): self.link.connection?.send(message)
        case .tell(let event): try self.heard(event)
        case .note: break
        }
    }
}

internal import WhereaboutsAPNS
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Strangers and providers that hold streams and connections open, and insiders that use an ID again.
extension StrangerNode {
    struct Hoard {
        /// The token of a device that accepts pushes and never answers.
        fileprivate(set) var token: [UInt8]?
        /// The request whose states are read, and when it was made.
        fileprivate var asked: (request: Signed<Request>, at: Instant)?
        fileprivate var connections: UInt64 = 0
    }

    /// The time after which a stranger makes another request, to read its states; each request ends half a minute after
    /// its push.
    private static let freshPeriod = Duration.seconds(20)
    private static let topic = "sim.app0.location-query"

    /// The gateway issued a token to one of the strangers' links.
    func registered(_ topic: String, _ token: DeviceToken) {
        if topic == Self.topic { self.hoard.token = token.bytes }
    }

    // MARK: Event streams

    /// Opens one more stream of the states of a request to themselves.
    func holdStream() {
        guard let token = self.hoard.token else { return self.open(provesKey: true) }
        guard let asked = self.hoard.asked, asked.at.duration(to: self.world.now) < Self.freshPeriod else {
            return self.askThemselves(token)
        }
        let request = asked.request.value
        let permit = ModelNotary.sign(
            ReadPermit(request: request.id, requester: request.grant.value.requester)
        )
        let (server, address, number) = (self.world.server, self.id.address, self.world.nextTicket())
        self.world.call(from: self.id, to: server, timeout: Self.timeout) {
            try server.open(.states, permit, number, from: address) { _, _ in }
        } then: { [unowned self] result in
            switch result {
            case .success(.open): self.world.census.add("a stranger holds a stream")
            case .success(.busy): self.world.census.add("a stranger's stream is turned away")
            case .success(.unknown), .failure: break
            }
        }
    }

    private func askThemselves(_ token: [UInt8]) {
        let me = self.identity()
        self.register(me, topic: "sim.app0", token: token)
        let grant = Grant(
            id: GrantID(using: &self.random),
            sharer: me,
            requester: me,
            precision: .full,
            notBefore: WallTime(microseconds: .min),
            notAfter: self.clocks.wall.advanced(by: .seconds(3600)),
            intervalMin: 0
        )
        let request = ModelNotary.sign(
            Request(
                under: ModelNotary.sign(grant),
                precision: .full,
                suite: .x25519,
                publicKey: Array(repeating: 7, count: Suite.x25519.publicKeyByteCount),
                using: &self.random,
                now: self.clocks.wall
            )
        )
        self.hoard.asked = (request, self.world.now)
        let server = self.world.server
        // After the registration, which is under way.
        self.later(.seconds(2)) { [unowned self] in
            self.world.call(from: self.id, to: server, timeout: Self.timeout) {
                try server.admit(request)
            } then: { _ in
            }
        }
    }

    // MARK: Connections of providers

    /// Opens one more connection of a team whose key the gateway has.
    func holdConnection() {
        self.hoard.connections += 1
        let number = self.hoard.connections
        // Each connection has a different address.
        let address = AddressBlock([10, 1, UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number)])
        let gateway = self.world.gateway
        self.world.call(from: self.id, to: gateway, timeout: Self.timeout) {
            gateway.admits(.tenant(number), from: address)
        } then: { [unowned self] result in
            guard case .success(let isAdmitted) = result else { return }
            self.world.census.add(isAdmitted ? "a tenant holds a connection" : "a tenant's connection is turned away")
        }
    }

    // MARK: Request IDs

    /// Sends each device a request with the same ID as before under a grant for two uses, and another one a second later.
    func askWithOneID() {
        for device in self.world.devices.indices {
            self.askWithOneID(device)
            self.later(.seconds(1)) { [unowned self] in self.askWithOneID(device) }
        }
    }

    private func askWithOneID(_ device: Int) {
        guard let app = self.world.devices[device].plan.apps.firstIndex(where: { $0.kind == .friends }) else { return }
        let grant = Grant(
            id: GrantID(high: 0x7265_7573, low: UInt64(device)),
            sharer: Names.sharer(device: device, app: app),
            requester: Names.requester(-2),
            precision: .full,
            notBefore: WallTime(microseconds: .min),
            notAfter: WallTime(milliseconds: Instant.epochMicroseconds / 1000 + 1_000_000_000),
            intervalMin: 0,
            usesMax: 2
        )
        let now = self.clocks.wall
        let request = Request(
            id: RequestID(high: 0x7265_7573, low: UInt64(device)),
            grant: ModelNotary.sign(grant),
            precision: .full,
            suite: .x25519,
            publicKey: Array(repeating: 7, count: Suite.x25519.publicKeyByteCount),
            issued: now,
            expires: now.advanced(by: .seconds(30))
        )
        let server = self.world.server
        self.world.call(from: self.id, to: server, timeout: Self.timeout) {
            try server.admit(ModelNotary.sign(request))
        } then: { _ in
        }
    }
}

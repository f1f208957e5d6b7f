internal import WhereaboutsLocationEngine
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// An app that shares its device's position, as FindFriends: it holds a session for Always as long as it shares, and registers
/// the device with the sharing server.
final class FriendsApp: SimulatedProcess {
    private static let timeout = Duration.seconds(10)

    private var session: UInt64?
    private var enrolling = Enrolling()
    private lazy var alarm = Alarm(self) { [unowned self] in self.feed(.deadlineReached) }
    /// The app's part for live shares; nil without followers.
    var followed: FollowedApp?

    override func connected() {
        defer { self.lookWhoFollows() }
        // On a new connection, repeat the request that was sent on the old one.
        if self.enrolling.state == .fetching { self.device.requestPushToken(self) }
        guard self.session == nil else { return }
        let plan = self.device.plan(of: self.bundle)
        if plan.isForgetful, !self.isFirst { return }
        guard !plan.isClassic else { return self.device.requestAlways(self) }
        self.session = self.take(session: .always)
    }

    override func told(_ state: Engine.ClientState) {
        guard self.device.plan(of: self.bundle).isClassic else { return }
        switch state.authorization {
        case .always: self.feed(.permission(.allowed))
        case .denied, .restricted: self.feed(.permission(.denied))
        case .whenInUse, .notDetermined: break
        }
    }

    override func told(_ diagnostics: SessionDiagnostics, of session: UInt64) {
        if diagnostics.contains(.authorizationRequestInProgress) {
            self.feed(.permission(.undecided))
        } else if !diagnostics.isDisjoint(
            with: [.authorizationDenied, .alwaysAuthorizationDenied, .authorizationRestricted]
        ) {
            self.feed(.permission(.denied))
        } else {
            self.feed(.permission(diagnostics.contains(.insufficientlyInUse) ? .notInUse : .allowed))
        }
    }

    override func told(_ update: Update, of stream: UInt64) {
        if let followed = self.followed, followed.stream == stream { followed.told(update) }
    }

    override func told(_ token: Engine.PushTokenResult) {
        switch token {
        case .token(let token): self.feed(.token(token))
        case .failure: self.feed(.failed(SharingError(.network, "no token")))
        }
    }

    private func feed(_ input: Enrolling.Input) {
        let now = self.device.engineNow.monotonic
        for effect in self.enrolling.handle(input, now: now, using: &self.device.random) {
            switch effect {
            case .fetchToken: self.device.requestPushToken(self)
            case .tell(let token): self.tell(token)
            case .show: break
            }
        }
        self.alarm.follow(self.enrolling.deadline)
    }

    /// Registers the device with the server, with or without a token; the first time, after reading the person's other registrations.
    private func tell(_ token: [UInt8]) {
        let profile = self.device.profile(of: self.bundle)
        guard profile.standing == nil else { return self.tell(token, after: []) }
        let (server, permit) = (self.device.world.server, DevicesPermit(sharer: profile.identity))
        self.device.world.call(from: self.device.id, to: server, timeout: Self.timeout) {
            try server.devices(ModelNotary.sign(permit))
        } then: { [self] result in
            self.run {
                guard case .success(let others) = result else {
                    return self.feed(.failed(SharingError(.network, "not heard")))
                }
                self.tell(token, after: others)
            }
        }
    }

    private func tell(_ token: [UInt8], after others: [Registration]) {
        guard let registration = self.device.registrationDue(token, of: self.bundle, after: others) else {
            return self.feed(.failed(SharingError(.refused, "removed, or not kept")))
        }
        let signed = ModelNotary.sign(registration)
        let (server, address) = (self.device.world.server, self.device.id.address)
        self.device.world.call(from: self.device.id, to: server, timeout: Self.timeout) {
            try server.register(signed, from: address)
        } then: { [self] result in
            self.run {
                if case .success(.confirm?) = result { return self.feed(.heard) }
                if case .success(.removed?) = result { self.device.learned(removalOf: registration, self.bundle) }
                self.feed(.failed(SharingError(.network, "not heard")))
            }
        }
    }
}

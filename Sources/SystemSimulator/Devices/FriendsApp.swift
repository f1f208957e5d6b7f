internal import LocationEngine
internal import Sharing

/// An app that shares where its device is, as FindFriends: it holds a session for Always as long as it shares, and tells
/// the sharing server where the device takes pushes.
final class FriendsApp: SimulatedProcess {
    private static let timeout = Duration.seconds(10)
    private static let retryPause = Duration.seconds(5)

    private var session: UInt64?
    /// The number of the newest token the server is to have; an older one that is still under way is void.
    private var wish: UInt64 = 0

    override func connected() {
        guard self.session == nil else {
            // A new connection: a question on the old one may have had no answer.
            return self.device.requestPushToken(self)
        }
        let plan = self.device.plan(of: self.bundle)
        if plan.isForgetful, !self.isFirst { return }
        guard !plan.isClassic else { return self.device.requestAlways(self) }
        self.session = self.take(session: .always)
    }

    override func told(_ state: Engine.ClientState) {
        guard self.device.plan(of: self.bundle).isClassic else { return }
        switch state.authorization {
        case .always: self.device.requestPushToken(self)
        case .denied, .restricted: self.register(token: [])
        case .whenInUse, .notDetermined: break
        }
    }

    override func told(_ diagnostics: SessionDiagnostics, of session: UInt64) {
        if diagnostics.contains(.authorizationRequestInProgress) { return }
        if !diagnostics.isDisjoint(with: [.authorizationDenied, .alwaysAuthorizationDenied, .authorizationRestricted]) {
            self.register(token: [])
        } else if !diagnostics.contains(.insufficientlyInUse) {
            self.device.requestPushToken(self)
        }
    }

    override func told(_ token: Engine.PushTokenResult) {
        switch token {
        case .token(let token): self.register(token: token)
        case .failure: self.later(Self.retryPause) { [unowned self] in self.device.requestPushToken(self) }
        }
    }

    /// Tells the server where the device takes pushes, or that it takes none, until the server heard it.
    private func register(token: [UInt8]) {
        self.wish += 1
        self.attempt(self.wish, token)
    }

    private func attempt(_ wish: UInt64, _ token: [UInt8]) {
        guard wish == self.wish else { return }
        guard
            let registration = try? Registration(
                sharer: self.device.home(of: self.bundle).identity,
                token: token,
                topic: self.bundle.rawValue,
                issued: self.device.nextRegistrationTime(of: self.bundle)
            )
        else { return }
        let signed = ModelNotary.sign(registration)
        let server = self.device.world.server
        self.device.world.call(from: self.device.id, to: server, timeout: Self.timeout) {
            try server.register(signed)
        } then: { [self] result in
            if case .success(true) = result { return }
            self.later(Self.retryPause) { self.attempt(wish, token) }
        }
    }
}

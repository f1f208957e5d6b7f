/// Says what an app needs of the location service, for as long as the object is held.
public final class CLServiceSession: Sendable {
    /// What a session asks for.
    public enum AuthorizationRequirement: Equatable, Hashable, Sendable {
        /// Nothing; satisfies the rule that a session must be held.
        case none
        /// To be served while the app is in use.
        case whenInUse
        /// To be served at any time.
        case always
    }

    private let client: LocationClient
    private let id: UInt64

    /// Takes a session; the person is asked when that is possible and needed.
    public init(authorization: AuthorizationRequirement) {
        self.client = .current()
        self.id = self.client.addSession(authorization)
    }

    deinit {
        self.client.endSession(self.id)
    }

    /// Ends the session at once and for good.
    public func invalidate() {
        self.client.endSession(self.id)
    }

    /// How the session stands, now and whenever that changes; ends when the session is invalidated.
    public var diagnostics: Diagnostics {
        Diagnostics(client: self.client, session: self.id)
    }
}

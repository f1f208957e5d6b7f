/// Says what an app needs of the location service, for as long as the object is held.
public final class CLServiceSession: Sendable {
    /// The authorization that a session asks for.
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
    public convenience init(authorization: AuthorizationRequirement) {
        self.init(client: .current(), authorization: authorization, purpose: nil)
    }

    /// Takes a session that needs full accuracy; the person is asked for that too when it is not allowed.
    ///
    /// - Parameters:
    ///   - authorization: what the session asks for.
    ///   - fullAccuracyPurposeKey: a key of `NSLocationTemporaryUsageDescriptionDictionary` in the Info.plist, which
    ///     says what full accuracy is for.
    public convenience init(authorization: AuthorizationRequirement, fullAccuracyPurposeKey: String) {
        self.init(client: .current(), authorization: authorization, purpose: fullAccuracyPurposeKey)
    }

    init(client: LocationClient, authorization: AuthorizationRequirement, purpose: String?) {
        self.client = client
        self.id = client.hold(.session(authorization, fullAccuracyPurpose: purpose))
    }

    deinit {
        self.client.giveUp(self.id)
    }

    /// Ends the session at once and for good.
    public func invalidate() {
        self.client.giveUp(self.id)
    }

    /// How the session stands, now and whenever that changes; ends when the session is invalidated.
    public var diagnostics: Diagnostics {
        Diagnostics(client: self.client, session: self.id)
    }
}

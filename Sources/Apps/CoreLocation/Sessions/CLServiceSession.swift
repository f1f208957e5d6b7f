/// An object that requests the authorization that a feature of your app needs, for as long as you keep a reference to it.
///
/// Create a session when the feature begins, in the foreground, and keep it until the feature ends. Core Location
/// asks the person when that is possible and necessary, and again after a temporary authorization has ended. Parts of
/// an app can create their own sessions: the strongest requirement counts.
///
/// A session continues while the app is suspended, and after the system terminates it. After the next launch, create the
/// session again within five seconds; otherwise it ends. Always authorization takes effect only while a session that
/// requires it exists.
public final class CLServiceSession: Sendable {
    /// The authorization that a session requires.
    public enum AuthorizationRequirement: Equatable, Hashable, Sendable {
        /// No authorization: the person is not asked, and an existing authorization takes effect.
        case none
        /// Authorization to use the location while the app is in use.
        ///
        /// The Info.plist must contain `NSLocationWhenInUseUsageDescription`.
        case whenInUse
        /// Authorization to use the location at any time.
        ///
        /// The Info.plist must contain `NSLocationWhenInUseUsageDescription` and
        /// `NSLocationAlwaysAndWhenInUseUsageDescription`.
        case always
    }

    private let client: LocationClient
    private let id: UInt64

    /// Creates a session that requires an authorization.
    ///
    /// - Parameter authorization: the authorization.
    public convenience init(authorization: AuthorizationRequirement) {
        self.init(client: .current(), authorization: authorization, purpose: nil)
    }

    /// Creates a session that requires an authorization and full accuracy.
    ///
    /// Create it also if full accuracy is allowed already: the person can change that at any time. Full accuracy
    /// lasts while the app is in use.
    ///
    /// - Parameters:
    ///   - authorization: the authorization.
    ///   - fullAccuracyPurposeKey: a key of `NSLocationTemporaryUsageDescriptionDictionary` in the Info.plist, whose
    ///     text the prompt shows. If the key is missing, ``Diagnostic/fullAccuracyDenied`` is `true`.
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

    /// Ends the session at once and permanently.
    ///
    /// A session also ends when the object is released.
    public func invalidate() {
        self.client.giveUp(self.id)
    }

    /// The reasons why the session is not in effect, now and after each change.
    public var diagnostics: Diagnostics {
        Diagnostics(client: self.client, session: self.id)
    }
}

/// An object that keeps the app in use in the background, for as long as you hold it.
///
/// Create the session in the foreground, and keep it in a property. The person sees an indicator while the app is in
/// the background. The Info.plist must contain `location` in `UIBackgroundModes`, and the app needs authorization to
/// use the location; otherwise the session has no effect, and ``diagnostics`` say why.
///
/// A session that is in effect survives the app's termination. After a launch, create it again within five seconds,
/// also in the background.
public final class CLBackgroundActivitySession: Sendable {
    private let client: LocationClient
    private let id: UInt64

    /// Creates a background activity session, or continues the session of the app's earlier process.
    public convenience init() {
        self.init(client: .current())
    }

    init(client: LocationClient) {
        self.client = client
        self.id = client.hold(.backgroundSession)
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

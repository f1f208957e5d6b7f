/// Keeps the app in use while nobody looks at it, for as long as the object is held; people can see that it does.
///
/// It begins in the foreground only, with `location` among the `UIBackgroundModes` of the app's Info.plist. After a
/// relaunch it goes on when it is made again at once.
public final class CLBackgroundActivitySession: Sendable {
    private let client: LocationClient
    private let id: UInt64

    /// Begins a background activity session, or goes on with the one that a process before this one left.
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

    /// Ends the session at once and for good.
    public func invalidate() {
        self.client.giveUp(self.id)
    }

    /// How the session stands, now and whenever that changes; ends when the session is invalidated.
    public var diagnostics: Diagnostics {
        Diagnostics(client: self.client, session: self.id)
    }
}

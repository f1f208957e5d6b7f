import CoreLocation
import Friends
import WhereaboutsSharing

/// The app: asks for Always once, keeps the session for as long as it shares, and tells its server where to send pushes.
///
/// On iOS this would be the app delegate; here `locationctl run` starts it, and the terminal is its screen.
@main
struct FindFriendsApp {
    static func main() async {
        let sharer: Sharer
        do {
            sharer = try Friends().sharer(settings: ServerSettings.fromArguments())
        } catch {
            // Before any session is taken: one that was left by an earlier launch is not ended by this.
            Screen.show("FindFriends cannot be opened: \(error)")
            exit(1)
        }
        await Self.run(sharer)
    }

    /// Shares until the app is ended.
    static func run(_ sharer: Sharer) async {
        let app = FindFriendsApp(sharer: sharer)
        Friends.tell(of: sharer.home)
        for question in sharer.home.questions() { Screen.show(question.words(in: sharer.home)) }
        async let followed: Void = app.beFollowed()
        await app.share()
        await followed
    }

    private let sharer: Sharer
    private let pushes = Pushes()
    // Taken at every launch and held until the last friend is gone; retaken, it goes on where it was.
    private let session = CLServiceSession(authorization: .always)

    private init(sharer: Sharer) {
        self.sharer = sharer
    }

    /// Goes on where the extension left off, for as long as friends follow.
    private func beFollowed() async {
        let home = self.sharer.home
        await self.sharer.beFollowed {
            CLLocationUpdate.liveUpdates().compactMap { LivePlace($0) }
        } show: { followers in
            Screen.show(followers.words(in: home))
        }
    }

    /// Keeps the server told, for as long as the app runs: what goes wrong meanwhile is shown, and tried again.
    private func share() async {
        let (permissions, told) = AsyncStream.makeStream(of: SharingPermission.self)
        let (sharer, pushes) = (self.sharer, self.pushes)
        async let sharing: Void = sharer.share(
            topic: Friends.bundleIdentifier,
            permissions: permissions,
            deviceToken: { try await pushes.token() },
            show: { Screen.show($0.words) }
        )
        do {
            for try await diagnostic in self.session.diagnostics { told.yield(SharingPermission(diagnostic)) }
        } catch {
            // The last word on the permission stands.
            Screen.show("the location service says no more: \(error)")
        }
        await sharing
    }
}

/// The device's location pushes.
private actor Pushes {
    private let manager = CLLocationManager()

    func token() async throws -> Data { try await self.manager.startMonitoringLocationPushes() }
}

extension SharingPermission {
    fileprivate init(_ diagnostic: CLServiceSession.Diagnostic) {
        self =
            if diagnostic.authorizationRequestInProgress {
                .undecided
            } else if diagnostic.authorizationDenied || diagnostic.alwaysAuthorizationDenied
                || diagnostic.authorizationRestricted
            {
                .denied
            } else if diagnostic.insufficientlyInUse {
                .notInUse
            } else {
                .allowed
            }
    }
}

extension SharingStatus {
    fileprivate var words: String {
        switch self {
        case .undecided: "waiting for your permission to share your location"
        case .notInUse: "open FindFriends once to go on sharing"
        case .shared: "your friends can ask where you are"
        case .paused: "sharing is paused: allow Always in Settings to let your friends ask where you are"
        case .failing(let reason): "your friends get no new answer yet, trying again: \(reason)"
        }
    }
}

extension ServerSettings {
    /// The server named with `--server URL [--trust-roots FILE]` at the first launch; nil afterwards.
    fileprivate static func fromArguments() throws -> ServerSettings? {
        let arguments = ProcessInfo.processInfo.arguments
        func value(after option: String) -> String? {
            guard let index = arguments.firstIndex(of: option), index + 1 < arguments.count else { return nil }
            return arguments[index + 1]
        }
        guard let server = value(after: "--server") else { return nil }
        return try ServerSettings(server: server, trustRoots: value(after: "--trust-roots"))
    }
}

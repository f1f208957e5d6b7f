import CoreLocation
import Friends
import Sharing

/// The app: asks for Always once, keeps the session for as long as it shares, and tells its server where to send pushes.
///
/// On iOS this would be the app delegate; here `locationctl run` starts it, and the terminal is its screen.
@main
struct FindFriendsApp {
    static func main() async {
        do {
            let app = try FindFriendsApp()
            async let following: Void = Self.follow()
            try await app.share()
            try await following
        } catch {
            Screen.show("FindFriends cannot go on: \(error)")
            exit(1)
        }
    }

    private let sharer: Sharer
    private let manager = CLLocationManager()
    // Taken at every launch and held until the last friend is gone; retaken, it goes on where it was.
    private let session = CLServiceSession(authorization: .always)

    private init() throws {
        self.sharer = try Sharer(home: Friends.home(settings: ServerSettings.fromArguments()))
    }

    /// Goes on where the extension left off, for as long as a friend follows.
    private static func follow() async throws {
        guard let end = try Following.end, end > .now else { return }
        var isShown = false
        for try await update in CLLocationUpdate.liveUpdates() {
            if update.location != nil, !isShown {
                Screen.show("a friend follows you: the app goes on in the background")
                isShown = true
            }
            // The friend may have asked again meanwhile.
            if try Following.end ?? end < .now { break }
        }
        Screen.show("nobody follows you any more")
    }

    private func share() async throws {
        for try await diagnostic in self.session.diagnostics {
            if diagnostic.authorizationRequestInProgress {
                Screen.show("waiting for your permission to share your location")
            } else if diagnostic.authorizationDenied || diagnostic.alwaysAuthorizationDenied {
                Screen.show("sharing is paused: allow Always in Settings to let your friends ask where you are")
                try await self.sharer.pause(topic: Friends.bundleIdentifier)
            } else if diagnostic.insufficientlyInUse {
                Screen.show("open FindFriends once to go on sharing")
            } else {
                let token = try await self.manager.startMonitoringLocationPushes()
                try await self.sharer.register(deviceToken: token, topic: Friends.bundleIdentifier)
                Screen.show("your friends can ask where you are")
            }
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

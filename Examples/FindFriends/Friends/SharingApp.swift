import CoreLocation
public import WhereaboutsSharing

/// The work of the app at each launch: it takes the session for Always, and tells the server where to send pushes.
///
/// It runs for as long as the app does, in the foreground or not, and draws nothing.
public struct SharingApp: Sendable {
    private let sharer: Sharer
    private let pushes: Pushes
    // Taken at every launch and held until the last friend is gone; retaken, it goes on where it was.
    private let session: CLServiceSession

    /// Shares until the app is ended.
    ///
    /// - Parameters:
    ///   - sharer: the person who uses this device.
    ///   - show: shows the person whether friends can ask.
    @MainActor public static func run(_ sharer: Sharer, show: @escaping @Sendable (SharingStatus) -> Void) async {
        let app = SharingApp(sharer: sharer)
        Friends.tell(of: sharer.profile)
        for question in sharer.profile.questions() { Screen.show(question.words(in: sharer.profile)) }
        async let followed: Void = app.beFollowed()
        await app.share(show: show)
        await followed
    }

    @MainActor private init(sharer: Sharer) {
        self.sharer = sharer
        self.pushes = Pushes()
        self.session = CLServiceSession(authorization: .always)
    }

    /// Goes on where the extension left off, for as long as friends follow.
    private func beFollowed() async {
        let profile = self.sharer.profile
        await self.sharer.beFollowed {
            CLLocationUpdate.liveUpdates().compactMap { LivePlace($0) }
        } show: { followers in
            Screen.show(followers.words(in: profile))
        }
    }

    /// Keeps the server told, for as long as the app runs: what goes wrong meanwhile is shown, and tried again.
    private func share(show: @escaping @Sendable (SharingStatus) -> Void) async {
        let (permissions, told) = AsyncStream.makeStream(of: SharingPermission.self)
        let (sharer, pushes) = (self.sharer, self.pushes)
        async let sharing: Void = sharer.share(
            topic: Friends.bundleIdentifier,
            permissions: permissions,
            deviceToken: { try await pushes.token() },
            show: show
        )
        do {
            for try await diagnostic in self.session.diagnostics { told.yield(SharingPermission(diagnostic)) }
        } catch {
            // The last word on the permission stands.
            Screen.show("the location service ended the updates: \(error)")
        }
        await sharing
    }
}

/// The device's location pushes; the manager calls back on the run loop of the thread that made it.
@MainActor private final class Pushes {
    private let manager = CLLocationManager()

    func token() async throws -> Data {
        do {
            return try await self.manager.startMonitoringLocationPushes()
        } catch let error as CLLocationPushServiceError {
            guard let lack = error.code.lack else { throw error }
            throw SharingError(.refused, "this device sends FindFriends no location pushes: \(lack)")
        }
    }
}

extension CLLocationPushServiceError.Code {
    /// The part of the app that is missing; nil if the app can try again.
    fileprivate var lack: String? {
        switch self {
        case .missingEntitlement: "the entitlement com.apple.developer.location.push is missing, or was not approved"
        case .missingPushServerEnvironment: "the entitlement aps-environment is missing, or was not approved"
        case .missingPushExtension: "the app has no location push service extension"
        default: nil
        }
    }
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
    /// A line for the person whose device shares.
    public var words: String {
        switch self {
        case .undecided: "waiting for your permission to share your location"
        case .notInUse: "open FindFriends once to go on sharing"
        case .shared: "your friends can ask where you are"
        case .paused: "sharing is paused: allow Always in Settings to let your friends ask where you are"
        case .failing(let reason): "your friends get no new answer yet, trying again: \(reason)"
        }
    }
}

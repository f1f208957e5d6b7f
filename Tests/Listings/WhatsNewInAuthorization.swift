// The listings of "What's new in location authorization", as they are; docs/compatibility.md has the corrections.
import CoreLocation

/// 0:31, the first half.
func reflectLocation(_ updateLocationUI: @escaping @Sendable (CLLocation) -> Void) -> Task<Void, any Error> {
    // Iterating liveUpdates to reflect current location
    Task {
        let updates = CLLocationUpdate.liveUpdates()
        for try await update in updates {
            if let loc = update.location {
                updateLocationUI(loc)
            }
        }
    }
}

/// 0:31, the second half.
func reflectConditions(
    _ monitorName: String,
    _ applePark: CLLocationCoordinate2D,
    _ updateConditionsUI: @escaping @Sendable (String, CLMonitor.Event.State) -> Void
) -> Task<Void, any Error> {
    // Iterating monitor events to report condition state changes
    Task {
        let monitor = await CLMonitor(monitorName)
        await monitor.add(CLMonitor.CircularGeographicCondition(center: applePark, radius: 50), identifier: "ApplePark")
        for try await event in await monitor.events {
            updateConditionsUI(event.identifier, event.state)
        }
    }
}

/// 0:52; corrected: without `ObservableObject`, which is Combine's.
// Adapting location authorization to Swift with a MainActor singleton
@MainActor class LocationReflector: NSObject, CLLocationManagerDelegate {
    static let shared = LocationReflector()
    private let manager = CLLocationManager()
    private(set) var processed: [CLLocation] = []

    override init() {
        super.init()
        manager.delegate = self
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        if (manager.authorizationStatus == .notDetermined) {
            manager.requestWhenInUseAuthorization()
        }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        // Process locations[0]
        processed.append(locations[0])
    }
    // ...
}

/// 1:07 and 7:15; not corrected: `liveUpdates` without parentheses compiles here.
func sessionInAction(_ process: @escaping @Sendable (CLLocationUpdate) -> Void) -> Task<Void, any Error> {
    // CLServiceSession in action
    Task {
        let session = CLServiceSession(authorization: .whenInUse)
        for try await update in CLLocationUpdate.liveUpdates {
            // Process update.location or update.authorizationDenied
            process(update)
        }
    }
}

/// 7:34.
func implicitSession(_ process: @escaping @Sendable (CLLocationUpdate) -> Void) -> Task<Void, any Error> {
    Task {
        for try await update in CLLocationUpdate.liveUpdates {
            // Process update.location or update.authorizationDenied
            process(update)
        }
    }
}

/// 13:37.
func followAuthorization(_ letThemPick: () -> Void) async throws {
    // Following the progress of location authorization with CLServiceSession
    let mySession = CLServiceSession(authorization: .whenInUse)
    for try await diagnostic in mySession.diagnostics {
        if (diagnostic.authorizationDenied) {
            // Ok, let’s let them pick a location instead?
            letThemPick()
        }
    }
}

/// 15:00.
func untilTheyDecided() async throws {
    // Following the progress of location authorization with CLServiceSession
    let mySession = CLServiceSession(authorization: .whenInUse)
    for try await diagnostic in mySession.diagnostics {
        if (!diagnostic.authorizationRequestInProgress) {
            // They’ve decided (maybe already). We can move on!
            break
        }
    }
}

/// 15:25.
func reactForever(_ reactToChanges: (_ authorized: Bool) -> Void) async throws {
    // Following the progress of location authorization with CLServiceSession
    let mySession = CLServiceSession(authorization: .whenInUse)
    for try await diagnostic in mySession.diagnostics {
        if (!diagnostic.authorizationRequestInProgress) {
            reactToChanges(!diagnostic.authorizationDenied)
        }
    }
}

/// 15:46.
func reactInATask(_ reactToChanges: @escaping @Sendable (_ authorized: Bool) -> Void) -> Task<Void, any Error> {
    // Following the progress of location authorization with CLServiceSession
    Task {
        let mySession = CLServiceSession(authorization: .whenInUse)
        for try await diagnostic in mySession.diagnostics {
            if (!diagnostic.authorizationRequestInProgress) {
                reactToChanges(!diagnostic.authorizationDenied)
            }
        }
    }
}

/// "Creating a location push service extension"; corrected: `CLServiceSession(requiring:.Always)`.
func sessionForPushes() -> CLServiceSession {
    CLServiceSession(authorization: .always)
}

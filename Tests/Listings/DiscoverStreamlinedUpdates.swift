// The listings of "Discover streamlined location updates", as they are; docs/compatibility.md has the corrections.
import CoreLocation

func intro() async throws {
    for try await update in CLLocationUpdate.liveUpdates() {
        print("My current location : \(update.location)")
    }
}

func gettingUpdates() async throws {
    let updates = CLLocationUpdate.liveUpdates()

    for try await update in updates {
        print("my location is \(update.location)")

        // To stop updates break out of the for loop
        if update.isStationary {
            break
        }
    }
}

func firstFastUpdate() async throws -> CLLocationSpeed? {
    let updates = CLLocationUpdate.liveUpdates()

    let update = try await updates.first(where: { ($0.location?.speed ?? 0) > 200.0 })

    print("speed is : \(update?.location?.speed)")
    // Be careful - execution will get stuck until a match is found
    return update?.location?.speed
}

func withAConfiguration() -> CLLocationUpdate.Updates {
    let updates = CLLocationUpdate.liveUpdates(.automotiveNavigation)
    return updates
}

/// The session of the listing, around it an object that holds it.
actor BackgroundHandler {
    var backgroundActivity: CLBackgroundActivitySession?

    func start(_ process: (CLLocationUpdate) -> Void) async throws {
        self.backgroundActivity = CLBackgroundActivitySession()

        let updates = CLLocationUpdate.liveUpdates()

        for try await update in updates {
            process(update)
        }
        // local variable can go out of scope, invalidating the session
    }

    func end() {
        // to end the session; corrected: `backgroudActivity`
        self.backgroundActivity?.invalidate()
    }
}

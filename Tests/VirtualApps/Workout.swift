import CoreLocation

/// A workout app's model, written as such apps are: knows nothing of tests.
@MainActor final class Workout {
    enum Phase: Equatable, Sendable {
        case waitingForPermission, recording, stopped
    }

    private(set) var phase = Phase.waitingForPermission
    private(set) var distance: CLLocationDistance = 0
    private(set) var updates = 0
    var atEveryUpdate: () -> Void = {}
    private let session = CLServiceSession(authorization: .whenInUse)
    private var last: CLLocation?

    init() {
        Task { await self.record() }
    }

    private func record() async {
        do {
            for try await update in CLLocationUpdate.liveUpdates(.fitness) {
                if update.authorizationDenied {
                    self.phase = .stopped
                    self.session.invalidate()
                    return
                }
                guard let location = update.location else { continue }
                self.phase = .recording
                self.updates += 1
                self.atEveryUpdate()
                if let last { self.distance += metres(from: last, to: location) }
                self.last = location
            }
        } catch {
            self.phase = .stopped
        }
    }
}

/// Good enough for steps of a second.
func metres(from: CLLocation, to: CLLocation) -> CLLocationDistance {
    let north = (to.coordinate.latitude - from.coordinate.latitude) * 111_320
    let east =
        (to.coordinate.longitude - from.coordinate.longitude) * 111_320
        * cos(from.coordinate.latitude * .pi / 180)
    return (north * north + east * east).squareRoot()
}

import CoreLocation

/// The model of a workout app, written without regard to tests.
@MainActor final class Workout {
    enum Phase: Equatable, Sendable {
        case waitingForPermission, recording, stopped
    }

    private(set) var phase = Phase.waitingForPermission
    private(set) var hasSignal = true
    private(set) var distance: CLLocationDistance = 0
    private(set) var updates = 0
    var atEveryUpdate: () -> Void = {}
    private let session = CLServiceSession(authorization: .whenInUse)
    // Keeps the workout running in the background, and after the app was terminated.
    private let activity = CLBackgroundActivitySession()
    private var last: CLLocation?

    init() {
        Task { await self.record() }
    }

    private func record() async {
        do {
            for try await update in CLLocationUpdate.liveUpdates(.fitness) {
                if update.authorizationDenied {
                    self.stop()
                    return
                }
                self.hasSignal = !update.locationUnavailable
                guard let location = update.location else { continue }
                self.phase = .recording
                self.updates += 1
                self.atEveryUpdate()
                if let last { self.distance += location.distance(from: last) }
                self.last = location
            }
        } catch {
            self.stop()
        }
    }

    private func stop() {
        self.phase = .stopped
        self.activity.invalidate()
        self.session.invalidate()
    }
}

/// The same app by a developer who made two mistakes.
@MainActor final class CarelessWorkout {
    private(set) var isRecording = false

    init() {
        Task {
            // The app holds nothing that outlives the process, and it ignores the updates' diagnostics.
            for try await _ in CLLocationUpdate.liveUpdates(.fitness) { self.isRecording = true }
        }
    }
}

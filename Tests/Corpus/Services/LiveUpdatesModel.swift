import CoreLocation

@MainActor
final class LiveModel {
    private(set) var last: CLLocation?
    private(set) var isStationary = false
    private(set) var message: String?
    private var task: Task<Void, Never>?
    private var session: CLServiceSession?
    private var background: CLBackgroundActivitySession?

    func start() {
        session = CLServiceSession(authorization: .whenInUse)
        background = CLBackgroundActivitySession()
        task = Task {
            do {
                for try await update in CLLocationUpdate.liveUpdates(.fitness) {
                    if let location = update.location { self.last = location }
                    self.isStationary = update.stationary
                    self.message = Self.message(for: update)
                }
            } catch {
                self.message = error.localizedDescription
            }
        }
    }

    func stop() {
        task?.cancel()
        task = nil
        session?.invalidate()
        background?.invalidate()
        session = nil
        background = nil
    }

    private static func message(for update: CLLocationUpdate) -> String? {
        if update.authorizationDeniedGlobally { return "Location services are off" }
        if update.authorizationDenied || update.authorizationRestricted { return "Not authorized" }
        if update.accuracyLimited { return "Approximate" }
        if update.insufficientlyInUse || update.serviceSessionRequired { return "Open the app" }
        if update.authorizationRequestInProgress { return "Asking" }
        if update.locationUnavailable { return "Searching" }
        return nil
    }
}

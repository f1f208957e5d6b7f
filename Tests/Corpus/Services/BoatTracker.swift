import CoreLocation

final class BoatTracker {
    private let manager = CLLocationManager()

    func start() async throws {
        manager.activityType = .maritime
        for try await update in CLLocationUpdate.liveUpdates(.maritime) where update.location != nil { return }
    }
}

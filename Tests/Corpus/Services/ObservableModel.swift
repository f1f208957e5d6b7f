import CoreLocation

@Observable
final class ObservableModel {
    private(set) var latest: CLLocation?
    @ObservationIgnored private let manager = CLLocationManager()

    func follow() async throws {
        for try await update in CLLocationUpdate.liveUpdates() { latest = update.location ?? latest }
    }
}

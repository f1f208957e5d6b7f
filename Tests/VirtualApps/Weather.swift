import CoreLocation

/// A weather app that accepts an approximate place, and says when it has no better one.
@MainActor final class Weather {
    private(set) var place: CLLocationCoordinate2D?
    private(set) var isApproximate = false

    init() {
        Task {
            for try await update in CLLocationUpdate.liveUpdates() {
                self.isApproximate = update.accuracyLimited
                if let location = update.location { self.place = location.coordinate }
            }
        }
    }
}

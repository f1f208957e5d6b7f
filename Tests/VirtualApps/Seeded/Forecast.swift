import CoreLocation
import Foundation

/// A weather app, which determines its place when it is opened, and remembers it for ten minutes.
@MainActor final class Forecast {
    /// The mistakes that can be built in.
    enum Bug: String, CaseIterable, Sendable {
        /// The app waits for a position even if it may have none.
        case waitsWhenDenied
        /// The app refuses an approximate position.
        case wantsPrecision
        /// A remembered place with a future date never expires.
        case trustsFutureDates
    }

    private(set) var isLoading = false
    /// The place whose weather is shown.
    private(set) var place: CLLocationCoordinate2D?
    private let bug: Bug?
    private let session = CLServiceSession(authorization: .whenInUse)

    init(_ bug: Bug?) {
        self.bug = bug
        Task { try await self.look() }
    }

    /// Looks for the place again; the view does so whenever it appears.
    func look() async throws {
        guard !self.isLoading, !self.isFresh else { return }
        self.isLoading = true
        defer { self.isLoading = false }
        for try await update in CLLocationUpdate.liveUpdates() {
            if update.authorizationDenied, self.bug != .waitsWhenDenied { return }
            guard let location = update.location, location.horizontalAccuracy >= 0 else { continue }
            if self.bug == .wantsPrecision, location.horizontalAccuracy > 100 { continue }
            self.remember(location.coordinate)
            return
        }
    }

    private var isFresh: Bool {
        guard let date = UserDefaults.standard.object(forKey: "date") as? Date,
            let place = UserDefaults.standard.array(forKey: "place") as? [Double]
        else { return false }
        let age = Date().timeIntervalSince(date)
        guard age < 600, age >= 0 || self.bug == .trustsFutureDates else { return false }
        self.place = CLLocationCoordinate2D(latitude: place[0], longitude: place[1])
        return true
    }

    private func remember(_ place: CLLocationCoordinate2D) {
        self.place = place
        UserDefaults.standard.set(Date(), forKey: "date")
        UserDefaults.standard.set([place.latitude, place.longitude], forKey: "place")
    }
}

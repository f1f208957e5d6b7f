import CoreLocation
import Foundation

/// A delivery driver's app, which follows its owner with a location manager and reports kilometres to a server.
@MainActor final class Courier: NSObject, @MainActor CLLocationManagerDelegate {
    /// The mistakes that can be built in.
    enum Bug: String, CaseIterable, Sendable {
        /// An error stops the updates forever.
        case stopsAtError
        /// A report that does not reach the server is not sent again.
        case sendsOnce
        /// The elapsed time is a difference of dates.
        case countsByDates
    }

    /// Positions since the launch.
    private(set) var positions = 0
    /// Seconds since the launch, as the display shows them.
    var secondsUnderWay: TimeInterval {
        self.bug == .countsByDates
            ? Date().timeIntervalSince(self.began)
            : (ContinuousClock.now - self.beganAt) / .seconds(1)
    }
    private let bug: Bug?
    private let manager = CLLocationManager()
    private let report: @Sendable (_ number: Int, _ positions: Int) async throws -> Void
    private let began = Date()
    private let beganAt = ContinuousClock.now
    private var reported = 0
    private var reports = 0

    init(_ bug: Bug?, report: @escaping @Sendable (_ number: Int, _ positions: Int) async throws -> Void) {
        self.bug = bug
        self.report = report
        super.init()
        self.manager.delegate = self
        self.manager.allowsBackgroundLocationUpdates = true
        self.manager.requestWhenInUseAuthorization()
        self.manager.startUpdatingLocation()
        Task { await self.reportForever() }
    }

    /// Reports the number of new positions every minute.
    private func reportForever() async {
        while true {
            try? await Task.sleep(for: .seconds(60))
            let positions = self.positions
            guard positions > self.reported else { continue }
            let isSent = (try? await self.report(self.reports, positions - self.reported)) != nil
            guard isSent || self.bug == .sendsOnce else { continue }
            self.reports += 1
            self.reported = positions
        }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        self.positions += locations.count { $0.horizontalAccuracy >= 0 }
    }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { manager.startUpdatingLocation() }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        if self.bug == .stopsAtError { manager.stopUpdatingLocation() }
    }
}

import CoreLocation
import Foundation

/// A reminder app that reminds its owner once in each visit to a shop, whether it runs or not.
@MainActor final class ShopReminder {
    /// The mistakes that can be built in.
    enum Bug: String, CaseIterable, Sendable {
        /// Only the first launch opens the monitor.
        case monitorOfFirstLaunch
        /// An event that reports an obstacle counts as an arrival.
        case countsObstacles
        /// Authorization is requested after a welcome page, even if the app is in the background by then.
        case asksUnseen
    }

    nonisolated static let shop = CLLocationCoordinate2D(latitude: 53.5600, longitude: 9.9922)

    private let bug: Bug?
    private let manager = CLLocationManager()
    private let session = CLServiceSession(authorization: .always)

    /// The reminders of all launches.
    var reminders: Int { UserDefaults.standard.integer(forKey: "reminders") }

    init(_ bug: Bug?) {
        self.bug = bug
        let isFirst = !UserDefaults.standard.bool(forKey: "wasLaunched")
        UserDefaults.standard.set(true, forKey: "wasLaunched")
        if bug == .asksUnseen {
            Task {
                try await Task.sleep(for: .seconds(5))
                self.manager.requestAlwaysAuthorization()
            }
        }
        guard isFirst || bug != .monitorOfFirstLaunch else { return }
        Task { try await self.remind() }
    }

    private func remind() async throws {
        let monitor = await CLMonitor("shops")
        if await monitor.record(for: "shop") == nil {
            await monitor.add(
                CLMonitor.CircularGeographicCondition(center: Self.shop, radius: 100),
                identifier: "shop",
                assuming: .unsatisfied
            )
        }
        for try await event in await monitor.events where event.state == .satisfied {
            // The state is the last known one while an obstacle is reported.
            let isObstacle =
                event.authorizationRequestInProgress || event.authorizationDenied || event.authorizationDeniedGlobally
                || event.insufficientlyInUse || event.serviceSessionRequired || event.accuracyLimited
            if isObstacle, self.bug != .countsObstacles { continue }
            UserDefaults.standard.set(self.reminders + 1, forKey: "reminders")
        }
    }
}

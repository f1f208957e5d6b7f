import CoreLocation
import Foundation

/// An app that watches a circle as a condition and as a region, and writes each launch and event to a file in its
/// container.
@main @MainActor struct ProbeMonitor {
    static let circle = CLMonitor.CircularGeographicCondition(
        center: CLLocationCoordinate2D(latitude: 53.5, longitude: -9.5),
        radius: 100
    )

    static func main() async throws {
        let session = CLServiceSession(authorization: .always)
        defer { session.invalidate() }
        for log in ["conditions", "regions"] { try self.note("launched", log) }
        let manager = CLLocationManager()
        let listener = RegionListener()
        manager.delegate = listener
        manager.startMonitoring(
            for: CLCircularRegion(center: self.circle.center, radius: self.circle.radius, identifier: "region")
        )
        let monitor = await CLMonitor("probe")
        if await monitor.record(for: "circle") == nil {
            await monitor.add(self.circle, identifier: "circle", assuming: .unsatisfied)
        }
        for try await event in await monitor.events {
            switch event.state {
            case .satisfied: try self.note("entered", "conditions")
            case .unsatisfied: try self.note("left", "conditions")
            case .unknown, .unmonitored: try self.note("unknown", "conditions")
            @unknown default: try self.note("unknown", "conditions")
            }
        }
    }

    static func note(_ line: String, _ log: String) throws {
        let file = URL(fileURLWithPath: "\(log).log")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        try Data((text + line + "\n").utf8).write(to: file, options: .atomic)
    }
}

/// Writes down what happens to the region.
@MainActor private final class RegionListener: NSObject, @MainActor CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) { self.note("entered") }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) { self.note("left") }

    func locationManager(
        _ manager: CLLocationManager,
        monitoringDidFailFor region: CLRegion?,
        withError error: any Error
    ) { self.note("failed: \(error)") }

    private func note(_ line: String) { try? ProbeMonitor.note(line, "regions") }
}

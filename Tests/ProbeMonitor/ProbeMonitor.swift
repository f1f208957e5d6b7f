import CoreLocation
import Foundation

/// An app that watches a circle, and writes each launch and each event into its container, where the test reads them.
@main struct ProbeMonitor {
    static let circle = CLMonitor.CircularGeographicCondition(
        center: CLLocationCoordinate2D(latitude: 53.5, longitude: -9.5),
        radius: 100
    )

    static func main() async throws {
        let session = CLServiceSession(authorization: .always)
        defer { session.invalidate() }
        try self.note("launched")
        let monitor = await CLMonitor("probe")
        if await monitor.record(for: "circle") == nil {
            await monitor.add(self.circle, identifier: "circle", assuming: .unsatisfied)
        }
        for try await event in await monitor.events {
            switch event.state {
            case .satisfied: try self.note("entered")
            case .unsatisfied: try self.note("left")
            case .unknown, .unmonitored: try self.note("unknown")
            @unknown default: try self.note("unknown")
            }
        }
    }

    private static func note(_ line: String) throws {
        let file = URL(fileURLWithPath: "probe.log")
        let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
        try Data((text + line + "\n").utf8).write(to: file, options: .atomic)
    }
}

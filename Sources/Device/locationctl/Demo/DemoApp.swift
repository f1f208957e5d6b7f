internal import CoreLocation
internal import Dispatch
internal import Foundation

/// The app of the demo: it asks for permission, and prints each position.
enum DemoApp {
    /// Runs until locationd ends it.
    static func run() -> Never {
        Task {
            let session = CLServiceSession(authorization: .whenInUse)
            defer { session.invalidate() }
            var last = ""
            do {
                for try await update in CLLocationUpdate.liveUpdates() {
                    guard let line = Self.line(update), line != last else { continue }
                    last = line
                    StandardOutput.show("\(DemoStage.name): \(line)\n")
                }
            } catch {
                StandardOutput.show("\(DemoStage.name): the location service ended the updates: \(error)\n")
            }
        }
        dispatchMain()
    }

    private static func line(_ update: CLLocationUpdate) -> String? {
        guard !update.authorizationDenied else { return "no position, because you did not allow it" }
        return update.location.map { location in
            let place = [location.coordinate.latitude, location.coordinate.longitude].map {
                String(format: "%.5f", $0)
            }
            return "\(place.joined(separator: ", ")) ± \(Int(location.horizontalAccuracy.rounded(.up))) m"
        }
    }
}

internal import CoreLocation
internal import Foundation
internal import Testing
internal import WhereaboutsLocationApp

/// The examples in the module's documentation, as they stand there, compiled.
@Suite struct DocumentationTests {
    private final class Map { var isHidden = false }

    private func lifecycle(map: Map, resumeWorkout: () -> Void) async {
        if AppLifecycle.launchReason == .location { resumeWorkout() }
        for await phase in AppLifecycle.phases {
            map.isHidden = phase == .background
        }
    }

    private func activity(remaining: (_ from: CLLocation) -> String) async throws {
        func remaining(from location: CLLocation) -> String { "" }
        let ride = try LiveActivity.start(title: "Ride to Anna")
        for try await update in CLLocationUpdate.liveUpdates(.otherNavigation) {
            if let location = update.location { try ride.update(title: remaining(from: location)) }
            if update.authorizationDenied { break }
        }
        ride.end()
    }

    @Test func theExamplesAreThoseOfTheDocumentation() throws {
        let own = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
        let sources = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/Apps/LocationApp")
        var lines: [Substring] = []
        for file in try FileManager.default.contentsOfDirectory(at: sources, includingPropertiesForKeys: nil) {
            var isCode = false
            for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
                guard let text = line.firstRange(of: "/// ").map({ line[$0.upperBound...] }) else { continue }
                if text.hasPrefix("```") { isCode.toggle() } else if isCode { lines.append(text) }
            }
        }
        #expect(lines.count >= 10)
        for line in lines {
            #expect(own.contains(line.drop { $0 == " " }), "compile this line of the documentation: \(line)")
        }
    }
}

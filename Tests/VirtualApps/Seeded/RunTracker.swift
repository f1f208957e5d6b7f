import CoreLocation
import Foundation

/// A workout app that records a run, also in the background.
@MainActor final class RunTracker {
    /// The mistakes that can be built in.
    enum Bug: String, CaseIterable, Sendable {
        /// The loop ends when the location is unavailable once.
        case stopsAtFirstGap
        /// Only the first launch creates the background session.
        case sessionOfFirstLaunch
        /// An outlier counts as distance.
        case countsJumps
    }

    private(set) var distance: CLLocationDistance = 0
    private(set) var isRecording = false
    private let bug: Bug?
    private let session = CLServiceSession(authorization: .whenInUse)
    private var activity: CLBackgroundActivitySession?
    private var latest: CLLocation?
    private var counted: CLLocation?

    init(_ bug: Bug?) {
        self.bug = bug
        let isFirst = !UserDefaults.standard.bool(forKey: "wasLaunched")
        UserDefaults.standard.set(true, forKey: "wasLaunched")
        if isFirst || bug != .sessionOfFirstLaunch { self.activity = CLBackgroundActivitySession() }
        Task { try await self.record() }
    }

    private func record() async throws {
        for try await update in CLLocationUpdate.liveUpdates(.fitness) {
            if update.locationUnavailable, self.bug == .stopsAtFirstGap { return }
            guard let location = update.location, (0...100).contains(location.horizontalAccuracy) else { continue }
            self.isRecording = true
            self.add(location)
        }
    }

    private func add(_ location: CLLocation) {
        defer { self.latest = location }
        guard let counted, let latest else { return self.counted = location }
        let time = location.timestamp.timeIntervalSince(latest.timestamp)
        // A person does not run faster than 12 m/s; 25 m are the receiver's error.
        let isPlausible = (0...60).contains(time) && location.distance(from: latest) <= 12 * time + 25
        guard isPlausible || self.bug == .countsJumps else { return self.counted = location }
        let way = location.distance(from: counted)
        guard way > 25 else { return }
        self.distance += way
        self.counted = location
    }
}

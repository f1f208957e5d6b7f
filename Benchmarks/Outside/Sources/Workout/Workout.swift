import CoreLocation

/// Counts the fixes of a workout.
@MainActor public final class Workout {
    /// The number of fixes so far.
    public private(set) var count = 0
    private let session = CLServiceSession(authorization: .whenInUse)

    /// Begins to count.
    public init() {
        Task {
            for try await update in CLLocationUpdate.liveUpdates(.fitness) where update.location != nil {
                self.count += 1
            }
        }
    }
}

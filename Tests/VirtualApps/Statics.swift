import CoreLocation
import Synchronization

/// An app that keeps its session in a static variable, which only the end of its process clears.
@MainActor final class AppWithAStatic {
    private static var session: CLServiceSession?

    init() {
        if let session = Self.session { session.invalidate() }
        Self.session = CLServiceSession(authorization: .whenInUse)
    }
}

/// Counts, outside the app, what happens to the app.
final class Trail: Sendable {
    private let steps = Mutex(0)

    var count: Int { self.steps.withLock { $0 } }
    func add() { self.steps.withLock { $0 += 1 } }
}

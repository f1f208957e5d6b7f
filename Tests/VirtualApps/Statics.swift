import CoreLocation
import Synchronization

/// An app that keeps its session where only a process's end clears it.
@MainActor final class AppWithAStatic {
    private static var session: CLServiceSession?

    init() {
        if let session = Self.session { session.invalidate() }
        Self.session = CLServiceSession(authorization: .whenInUse)
    }
}

/// Counts what happens to an app from outside of it.
final class Trail: Sendable {
    private let steps = Mutex(0)

    var count: Int { self.steps.withLock { $0 } }
    func add() { self.steps.withLock { $0 += 1 } }
}

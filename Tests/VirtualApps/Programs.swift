import CoreLocation
import Foundation

/// A program that keeps its session in a static variable; the end of the process clears it.
enum StaticProgram {
    @MainActor private static var session: CLServiceSession?
    @MainActor private static var launches = 0

    @MainActor static func main() async throws {
        self.launches += 1
        precondition(self.launches == 1, "statics are fresh at every launch")
        self.session = CLServiceSession(authorization: .whenInUse)
        let activity = CLBackgroundActivitySession()
        for try await update in CLLocationUpdate.liveUpdates() where update.authorizationDenied { break }
        activity.invalidate()
    }
}

/// A program that traps at its third position.
enum TrappingProgram {
    @MainActor static func main() async throws {
        var positions = 0
        for try await update in CLLocationUpdate.liveUpdates() where update.location != nil {
            positions += 1
            precondition(positions < 3, "a bug")
        }
    }
}

/// A program that works for a while and exits.
enum ExitingProgram {
    @MainActor static func main() async throws {
        let begin = Date()
        try await ContinuousClock().sleep(for: .seconds(90))
        exit(abs(Date().timeIntervalSince(begin) - 90) < 0.001 ? 7 : 1)
    }
}

/// A program that prints the hour of the day whenever the time zone changes.
enum ZoneProgram {
    @MainActor static func main() async throws {
        self.show()
        let changed = Notification.Name.NSSystemTimeZoneDidChange
        let observer = NotificationCenter.default.addObserver(forName: changed, object: nil, queue: nil) { _ in
            self.show()
        }
        try await Task.sleep(for: .seconds(3600))
        NotificationCenter.default.removeObserver(observer)
    }

    private static func show() {
        let hour = Calendar.current.component(.hour, from: Date())
        print("\(hour) o'clock in \(TimeZone.current.identifier)")
    }
}

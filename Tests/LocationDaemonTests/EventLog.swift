internal import Foundation
internal import Logging
internal import Testing

/// A daemon's log, whose lines a test can wait for.
final class EventLog: Sendable {
    private struct Handler: LogHandler {
        let log: EventLog
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) { self.log.record("\(event.message)") }
    }

    private let condition = NSCondition()
    private nonisolated(unsafe) var events: [String] = []

    var logger: Logger { Logger(label: "test") { _ in Handler(log: self) } }

    private func record(_ event: String) {
        self.condition.withLock {
            unsafe self.events.append(event)
            self.condition.broadcast()
        }
    }

    /// Waits for an event, and drops all earlier ones.
    func wait(for event: String, within seconds: Double = 60) throws {
        let deadline = Date(timeIntervalSinceNow: seconds)
        try self.condition.withLock {
            while true {
                if let index = unsafe self.events.firstIndex(of: event) {
                    unsafe self.events.removeSubrange(...index)
                    return
                }
                let isInTime = self.condition.wait(until: deadline)
                try #require(isInTime, "no \(event) within \(seconds) s; since the last one: \(unsafe self.events)")
            }
        }
    }
}

internal import Logging
internal import Synchronization

/// Keeps every line that is logged, with its level and metadata.
final class LogCapture: Sendable {
    private let lines = Mutex<[(level: Logger.Level, text: String)]>([])

    var logger: Logger {
        Logger(label: "test") { _ in Handler(capture: self) }
    }

    /// All lines of all levels.
    var text: String { self.lines.withLock { $0.map(\.text).joined(separator: "\n") } }

    func text(above level: Logger.Level) -> String {
        self.lines.withLock { $0.filter { $0.level > level }.map(\.text).joined(separator: "\n") }
    }

    private struct Handler: LogHandler {
        let capture: LogCapture
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = self.metadata.merging(event.metadata ?? [:]) { $1 }
            self.capture.lines.withLock { $0.append((event.level, "\(event.message) \(metadata)")) }
        }
    }
}

internal import Foundation
internal import Runtime
internal import Synchronization

/// The line of an app's or a test's code that runs now, found in the debug information.
enum CodeLine {
    /// Returns it as `Workout.swift:31`; nil where there is no debug information.
    static func current() -> String? {
        self.searches.add(1, ordering: .relaxed)
        defer { self.searches.subtract(1, ordering: .relaxed) }
        // Without the inlined calls, which take seconds to find in a large program.
        let stack = try? Backtrace.capture(limit: 32)
        let frames = stack?.symbolicated(options: [.showSourceLocations])?.frames ?? []
        let line = frames.lazy.compactMap { $0.symbol?.sourceLocation }
            .first { $0.path.hasSuffix(".swift") && $0.line > 0 && !self.isOurs($0.path) }
        return line.map { "\(URL(filePath: $0.path).lastPathComponent):\($0.line)" }
    }

    private static let searches = Atomic(0)

    /// Whether a line is being looked for: in a large program that takes longer than a job may.
    static var isSearching: Bool { self.searches.load(ordering: .relaxed) > 0 }

    /// The line in brackets, for the end of a clause; empty where there is no debug information.
    static var here: String { self.current().map { " (\($0))" } ?? "" }

    /// Without a slash before them: an optimised build names its files from the package's folder on.
    private static let ours = [
        "Sources/Testing/LocationTesting/", "Sources/Testing/CVirtualTime/", "Sources/Apps/CoreLocation/",
    ]

    /// Whether it is this library's, or the toolchain's, whose code was compiled elsewhere.
    private static func isOurs(_ path: String) -> Bool {
        self.ours.contains { path.contains($0) } || !FileManager.default.fileExists(atPath: path)
    }
}

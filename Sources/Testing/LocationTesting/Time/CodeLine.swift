internal import Foundation
internal import Runtime
internal import Synchronization

/// The line of an app's or a test's code that runs now, found in the debug information.
enum CodeLine {
    /// Returns a line such as `Workout.swift:31`; nil without debug information.
    ///
    /// The runtime reads the line tables of the whole program for each frame, which takes a tenth of a second in a large
    /// program. Names of functions cost little, so they choose the frames to look up.
    static func current() -> String? {
        self.searches.add(1, ordering: .relaxed)
        defer { self.searches.subtract(1, ordering: .relaxed) }
        guard let stack = try? Backtrace.capture(limit: self.framesMax),
            let named = stack.symbolicated(options: [])
        else { return nil }
        for (depth, frame) in named.frames.enumerated() {
            guard let symbol = frame.symbol, self.isOfSomebodyElse(symbol),
                let line = self.line(of: frame.captured, at: depth, named.images)
            else { continue }
            return "\(URL(filePath: line.path).lastPathComponent):\(line.line)"
        }
        return nil
    }

    private static let framesMax = 32

    /// The source line of one frame of the stack that runs now; nil if it is unknown, or not code of the app or the test.
    @inline(never) private static func line(
        of frame: Backtrace.Frame,
        at depth: Int,
        _ images: ImageMap
    ) -> SymbolicatedBacktrace.SourceLocation? {
        // One frame deeper than where the frames were listed. With a limit of 1, the backtrace has only the mark "more frames".
        let stack = try? Backtrace.capture(limit: 2, offset: depth + 1, top: 0, images: images)
        let frames = stack?.symbolicated(options: [.showSourceLocations])?.frames ?? []
        let found = frames.first { $0.captured.adjustedProgramCounter == frame.adjustedProgramCounter }
        guard let line = found?.symbol?.sourceLocation, line.path.hasSuffix(".swift"), line.line > 0 else { return nil }
        return self.isOurs(line.path) ? nil : line
    }

    /// Whether a function is written in Swift and belongs neither to LocationTesting nor to CoreLocation.
    private static func isOfSomebodyElse(_ symbol: SymbolicatedBacktrace.Symbol) -> Bool {
        let ours = ["$s26WhereaboutsLocationTesting", "$s12CoreLocation"]
        return symbol.rawName.hasPrefix("$s") && !ours.contains { symbol.rawName.hasPrefix($0) }
    }

    private static let searches = Atomic(0)

    /// Whether a line is being looked up: in a large program that takes longer than a job may.
    static var isSearching: Bool { self.searches.load(ordering: .relaxed) > 0 }

    /// The line in brackets, for the end of a clause; empty without debug information.
    static var here: String { self.current().map { " (\($0))" } ?? "" }

    /// No leading slashes: in an optimised build, paths begin at the package's folder.
    private static let ours = [
        "Sources/Testing/LocationTesting/", "Sources/Testing/CVirtualTime/", "Sources/Apps/CoreLocation/",
    ]

    /// Whether a file belongs to this library or to the toolchain, whose files do not exist here.
    private static func isOurs(_ path: String) -> Bool {
        self.ours.contains { path.contains($0) } || !FileManager.default.fileExists(atPath: path)
    }
}

internal import Foundation
internal import Synchronization
internal import Testing

/// Reports the problems of a test, or of the app under test, that a virtual device finds.
enum Reporter {
    /// Receives each problem; if nil, Swift Testing records it as an issue.
    static let handler = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Reports a problem.
    ///
    /// Call it in the test's own task, so that this test fails.
    ///
    /// - Parameters:
    ///   - problem: the mistake, and its remedy.
    ///   - location: the test's line.
    static func report(_ problem: String, at location: SourceLocation? = nil) {
        if let trial = Trial.current { return trial.fail(Trial.Failure(problem, at: location)) }
        if let handler = self.handler.withLock({ $0 }) {
            // The problem's line goes into the text: XCTest would show the line of the handler.
            return handler(location.map { "\($0.fileID):\($0.line): \(problem)" } ?? problem)
        }
        guard let test = Test.current else {
            fatalError(
                "\(problem)\n(no Swift Testing test runs here; in XCTest say "
                    + "VirtualDevice.onProblem { XCTFail($0) } in setUp)"
            )
        }
        // Use the first line of the test for a problem without a line; a line of this file would not help.
        Issue.record(Comment(rawValue: problem), sourceLocation: location ?? test.sourceLocation)
    }

    /// Whether Swift Testing shows warnings and attachments of the code that runs.
    ///
    /// Otherwise they are lines on standard error, as XCTest knows no warnings.
    static var isInSwiftTesting: Bool { Test.current != nil && self.handler.withLock { $0 == nil } }

    /// Reports something that does not make the test fail.
    static func warn(_ text: String, at location: SourceLocation) {
        guard self.isInSwiftTesting else { return self.say("\(location.fileID):\(location.line): \(text)") }
        Issue.record(Comment(rawValue: text), severity: .warning, sourceLocation: location)
    }

    /// Adds a text to the results of the test.
    static func attach(_ text: String, named name: String) {
        guard self.isInSwiftTesting else { return self.say(text) }
        Attachment.record(text, named: name)
    }

    /// Writes a line to standard error.
    static func say(_ line: String) { FileHandle.standardError.write(Data("LocationTesting: \(line)\n".utf8)) }
}

/// Problems that were found while a device ran, or on another thread; reported when the device stops running.
final class Problems: Sendable {
    private let found = Mutex<[String]>([])

    /// More than a person would read.
    private static let max = 16

    func add(_ problem: String) {
        self.found.withLock { found in
            if found.count < Self.max, !found.contains(problem) { found.append(problem) }
        }
    }

    func take() -> [String] {
        self.found.withLock { found in
            defer { found = [] }
            return found
        }
    }
}

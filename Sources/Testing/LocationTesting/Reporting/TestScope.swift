internal import Synchronization
public import Testing

/// The devices of one test; their timelines are shown when it fails.
final class TestScope: Sendable {
    @TaskLocal static var current: TestScope?

    private struct Devices {
        // Read while the test's task records an issue; the devices belong to that task.
        nonisolated(unsafe) var hosts: [DeviceHost] = []
    }

    private let devices = Mutex<Devices>(Devices())

    func add(_ host: DeviceHost) {
        nonisolated(unsafe) let host = host
        self.devices.withLock { unsafe $0.hosts.append(host) }
    }

    /// The ends of the timelines.
    var timelines: [String] {
        self.devices.withLock { devices in
            let hosts = unsafe devices.hosts
            return hosts.enumerated().map { number, host in
                let title = hosts.count > 1 ? "Timeline of device \(number + 1)" : "Timeline"
                return "\(title):\n\(host.timeline.text(last: 60))"
            }
        }
    }
}

/// Shows what happened on a test's virtual devices when the test fails.
///
/// ```swift
/// @Suite(.showsTimelines) struct WorkoutTests { … }
/// ```
public struct TimelineTrait: SuiteTrait, TestTrait, TestScoping {
    /// Applies to the tests of a suite and its nested suites.
    public var isRecursive: Bool { true }

    /// Runs a test, and adds the timelines of its devices to the first issue it records.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let scope = TestScope()
        let isFirst = Mutex(true)
        let issues = IssueHandlingTrait.compactMapIssues { issue in
            let first = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            guard first else { return issue }
            var told = issue
            told.comments += scope.timelines.map { Comment(rawValue: $0) }
            return told
        }
        try await TestScope.$current.withValue(scope) {
            if let scoping = issues.scopeProvider(for: test, testCase: testCase) {
                try await scoping.provideScope(for: test, testCase: testCase, performing: function)
            } else {
                try await function()
            }
        }
    }
}

extension Trait where Self == TimelineTrait {
    /// Shows what happened on a test's virtual devices when the test fails.
    public static var showsTimelines: Self { TimelineTrait() }
}

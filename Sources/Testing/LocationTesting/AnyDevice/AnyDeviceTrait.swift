internal import Foundation
public import Testing

/// Runs a test once for each seed, on a device with a different story (``AnyDevice``).
public struct AnyDeviceTrait: SuiteTrait, TestTrait, TestScoping {
    /// The stories that are played.
    enum Stories: Sendable {
        case drawn
        case written(Story)
        /// The app with this bundle identifier is ended at each of its awaits.
        case awaits(of: String)
    }

    let devices: AnyDevice
    let stories: Stories

    /// Applies to the tests of a suite, and of the suites in it.
    public var isRecursive: Bool { true }

    /// Runs a test for each seed until it fails, and records the failure with the smallest story that shows it.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @concurrent @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let exploration: Exploration
        switch self.stories {
        case .written(let story):
            let trial = self.devices.trial(story)
            await Self.run(trial, test, testCase, function)
            guard !trial.failures.isEmpty else { return }
            let failure = self.devices.failure(trial, seed: nil)
            return Reporter.report(failure.report(of: test.name), at: failure.location ?? test.sourceLocation)
        case .drawn:
            exploration = await self.devices.explore(keeping: KeptStories(of: test, testCase)) { trial in
                await Self.run(trial, test, testCase, function)
            }
        case .awaits(let app):
            exploration = await self.devices.explore(awaitsOf: app) { trial in
                await Self.run(trial, test, testCase, function)
            }
        }
        self.devices.report(exploration, of: test.name, at: test.sourceLocation)
    }

    /// Runs the test's function in a trial, which records its issues.
    private static func run(
        _ trial: Trial,
        _ test: Test,
        _ testCase: Test.Case?,
        _ function: @concurrent @Sendable () async throws -> Void
    ) async {
        let issues = IssueHandlingTrait.compactMapIssues { issue in
            guard issue.isFailure else { return issue }
            trial.fail(Trial.Failure(issue))
            return nil
        }
        await Trial.$current.withValue(trial) {
            await TestScope.$current.withValue(nil) {
                do {
                    if let scope = issues.scopeProvider(for: test, testCase: testCase) {
                        try await scope.provideScope(for: test, testCase: testCase, performing: function)
                    } else {
                        try await function()
                    }
                } catch {
                    trial.threw(error)
                }
            }
        }
    }
}

extension Trait where Self == AnyDeviceTrait {
    /// Runs a test once for each seed, on a device with a different story (``AnyDevice``).
    ///
    /// - Parameters:
    ///   - seeds: the number of seeds; at least 1.
    ///   - budget: the real time that all seeds together may take. The test gets a warning if it ends before all seeds were run, and
    ///     fails if it ends before the first.
    ///   - hints: the troubles that happen before any is drawn, such as `.answer("com.example.App", .allowAlways)`.
    ///   - without: the kinds of trouble that are not drawn.
    ///   - allowing: the rules that are not checked.
    /// - Returns: the trait.
    public static func anyDevice(
        seeds: Int,
        budget: Duration = .seconds(60),
        hints: [Trouble] = [],
        without: Set<Trouble.Kind> = [],
        allowing: Set<Rule> = []
    ) -> Self {
        .anyDevice(AnyDevice(seeds: seeds, budget: budget, hints: hints, without: without, allowing: allowing))
    }

    /// Runs a test once for each seed of a set of devices.
    ///
    /// - Parameter devices: the devices.
    /// - Returns: the trait.
    public static func anyDevice(_ devices: AnyDevice) -> Self { Self(devices: devices, stories: .drawn) }

    /// Runs a test without troubles, and then once for each await of an app, at which the app's process is ended.
    ///
    /// - Parameters:
    ///   - app: the bundle identifier of the app.
    ///   - most: the maximum number of awaits; the test gets a warning if the app has more.
    ///   - budget: the real time that all runs together may take. The test gets a warning if it ends before all awaits were run, and
    ///     fails if the app was ended at none.
    ///   - allowing: the rules that are not checked.
    /// - Returns: the trait.
    public static func anyDevice(
        endingAtEachAwaitOf app: String,
        most: Int = 1000,
        budget: Duration = .seconds(60),
        allowing: Set<Rule> = []
    ) -> Self {
        Self(devices: AnyDevice(seeds: most, budget: budget, allowing: allowing), stories: .awaits(of: app))
    }

    /// Runs a test once, with a story that a failure printed.
    ///
    /// - Parameters:
    ///   - story: the story.
    ///   - allowing: the rules that are not checked.
    /// - Returns: the trait.
    public static func anyDevice(replaying story: Story, allowing: Set<Rule> = []) -> Self {
        Self(devices: AnyDevice(seeds: 1, allowing: allowing), stories: .written(story))
    }
}

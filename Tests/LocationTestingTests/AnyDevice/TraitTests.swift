internal import Foundation
internal import Synchronization
internal import Testing

@testable internal import WhereaboutsLocationTesting

/// Tests for the reports of `.anyDevice` and `check` to the author of a test.
@Suite struct TraitTests {
    /// A body that fails when the app ends within ten minutes.
    private static func use(_ device: VirtualDevice) throws {
        let app = device.install(.weather)
        device.person.open(app)
        device.advance(by: .seconds(600))
        try #require(app.state != .notRunning)
    }

    /// Runs a body with a trait; returns the issues, which are not recorded.
    private static func issues(
        _ devices: AnyDevice,
        _ stories: AnyDeviceTrait.Stories = .drawn,
        _ body: @escaping @concurrent @Sendable () async throws -> Void
    ) async throws -> [Issue] {
        let test = try #require(Test.current)
        return try await Self.issues {
            let trait = AnyDeviceTrait(devices: devices, stories: stories)
            try await trait.provideScope(for: test, testCase: Test.Case.current, performing: body)
        }
    }

    /// Runs a body; returns the issues that it records.
    private static func issues(_ body: @concurrent @Sendable () async throws -> Void) async throws -> [Issue] {
        let test = try #require(Test.current)
        let told = Mutex<[Issue]>([])
        let issues = IssueHandlingTrait.compactMapIssues { issue in
            told.withLock { $0.append(issue) }
            return nil
        }
        try await issues.provideScope(for: test, testCase: Test.Case.current, performing: body)
        return told.withLock { $0 }
    }

    private static func text(_ issue: Issue?) -> String { issue?.comments.map(\.rawValue).joined() ?? "" }

    /// Goal: a failing expectation is found, made smaller, reported once, and played first the next time.
    @Test func aFailureIsReported() async throws {
        let kept = KeptStories(of: try #require(Test.current), Test.Case.current)
        kept.keep(nil)
        defer { kept.keep(nil) }
        for start in ["Seed ", "The story "] {
            let all = try await Self.issues(AnyDevice(seeds: 50)) { try Self.use(VirtualDevice()) }
            let issue = try #require(all.first)
            let text = Self.text(issue)
            #expect(all.count == 1)
            #expect(issue.sourceLocation?.fileID.hasSuffix("TraitTests.swift") == true)
            for part in [
                "Expectation failed", "\n\n\(start)", " events are enough", "@Test(.anyDevice(replaying: Story(seed: ",
                "func aFailureIsReportedSeed", "Timeline:\n", "\n\nReached in ",
            ] {
                #expect(text.contains(part), "\(text)")
            }
            #expect(kept.stories.count == 1)
        }
    }

    /// Goal: failures of one argument are separate from those of another.
    @Test(arguments: [Argument.one, .two], [1, 2]) private func eachArgumentHasItsFailures(
        _ argument: Argument,
        _ number: Int
    ) throws {
        let test = try #require(Test.current)
        let file = try #require(KeptStories(of: test, Test.Case.current).file)
        #expect(KeptStories(of: test, Test.Case.current).file == file)
        #expect(Self.files.withLock { $0.insert(file).inserted })
        #expect(file.lastPathComponent.hasPrefix("LocationTestingTests.TraitTests.eachArgumentHasItsFailures."))
    }

    private enum Argument { case one, two }
    private static let files = Mutex<Set<URL>>([])

    // MARK: Shortfalls

    @Test func aTestThatRanNoSeedFails() async throws {
        let all = try await Self.issues(AnyDevice(seeds: 10, budget: .zero)) { try Self.use(VirtualDevice()) }
        #expect(all.map(\.isFailure) == [true])
        #expect(
            Self.text(all.first)
                == "Ran 0 of 10 seeds: the budget of 0.0 seconds ended. Raise `budget`, or shorten the test"
        )
        let none = try await Self.issues(AnyDevice(seeds: 10, budget: .zero), .awaits(of: "com.example.Weather")) {
            try Self.use(VirtualDevice())
        }
        #expect(none.map(\.isFailure) == [true])
    }

    /// Method: a finished exploration is marked as limited by its budget.
    @Test func aTestThatRanFewerSeedsIsWarned() async throws {
        let test = try #require(Test.current)
        var exploration = await AnyDevice(seeds: 3, without: Set(Trouble.Kind.allCases)).explore { device in
            try Self.use(device)
        }
        #expect(exploration.failure == nil && exploration.seeds == 3)
        exploration.isWhole = false
        exploration.ranOutOfTime = true
        let early = exploration
        let all = try await Self.issues { AnyDevice(seeds: 10).report(early, of: test.name, at: test.sourceLocation) }
        #expect(all.map(\.isFailure) == [false])
        #expect(Self.text(all.first).hasPrefix("Ran 3 of 10 seeds: the budget of 60.0 seconds ended."))
    }

    @Test func anAppThatIsNeverEndedFails() async throws {
        let all = try await Self.issues(AnyDevice(seeds: 10), .awaits(of: "com.example.Wether")) {
            try Self.use(VirtualDevice())
        }
        #expect(all.map(\.isFailure) == [true] && Self.text(all.first).contains("Check the bundle identifier"))
    }

    @Test func awaitsBeyondTheMostAreSaid() async throws {
        let all = try await Self.issues(AnyDevice(seeds: 2), .awaits(of: "com.example.Weather")) {
            let device = VirtualDevice()
            device.person.answersAll(.allowWhileUsing)
            device.person.open(device.install(.weather))
            device.advance(by: .seconds(60))
        }
        #expect(all.map(\.isFailure) == [false])
        #expect(Self.text(all.first).wholeMatch(of: /Ran 2 of \d+ awaits: `most` is 2. Raise it/) != nil)
    }

    @Test func aTestWithoutADeviceFails() async throws {
        let all = try await Self.issues(AnyDevice(seeds: 2)) {}
        #expect(all.map(\.isFailure) == [true] && Self.text(all.first).contains("creates no VirtualDevice"))
    }

    // MARK: XCTest

    /// Goal: `check` first plays what failed before, and reports what the trait reports.
    ///
    /// Method: in a separate process, where problems go to a handler as in XCTest.
    @Test func aCheckReportsWhatTheTraitReports() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
            let problems = Mutex<[String]>([])
            VirtualDevice.onProblem { problem in problems.withLock { $0.append(problem) } }
            let kept = KeptStories(ofMethod: "testSharing()", at: #_sourceLocation)
            kept.keep(nil)
            for start in ["Seed ", "The story "] {
                await AnyDevice(seeds: 50).check("testSharing()") { device in
                    let app = device.install(.weather)
                    device.person.open(app)
                    device.advance(by: .seconds(600))
                    if app.state == .notRunning { throw Ended() }
                }
                let text = problems.withLock { problems in
                    defer { problems = [] }
                    return problems.joined(separator: "\n\n\n")
                }
                let parts = [
                    "LocationTestingTests/TraitTests.swift:", "threw Ended()", "\n\n\(start)", "func testSharingSeed",
                    "AnyDevice(seeds: 1).replay(Story(seed: ", "XCTAssertNil(failure?.messages)", "\n\nReached in ",
                ]
                precondition(parts.allSatisfy { text.contains($0) } && !text.contains("\n\n\n"), text)
            }
            kept.keep(nil)
            await AnyDevice(seeds: 10, budget: .zero).check("testSharing()") { try Self.use($0) }
            precondition(problems.withLock { $0.count == 1 && $0[0].contains("Ran 0 of 10 seeds") })
            await AnyDevice(seeds: 1, without: Set(Trouble.Kind.allCases)).check("testSharing()") { try Self.use($0) }
            precondition(problems.withLock { $0.count == 1 } && kept.stories.isEmpty)
            exit(0)
        }
        let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(
            output.contains("LocationTesting: Reached in 1 stories: ") && output.contains("Never reached: "),
            "\(output)"
        )
    }

    private struct Ended: Error {}
}

public import Testing

/// Explores for a test: plays what failed before first, and reports the result.
extension AnyDevice {
    /// Runs a body for each seed, and reports the result as ``AnyDeviceTrait`` does; for XCTest.
    ///
    /// ```swift
    /// func testSharing() async {
    ///     VirtualDevice.onProblem { XCTFail($0) }
    ///     await AnyDevice(seeds: 200).check { device in … }
    /// }
    /// ```
    /// A failure goes to ``VirtualDevice/onProblem(_:)``. The coverage, and a warning if the budget ended early, go to standard error.
    ///
    /// - Parameters:
    ///   - name: the name of the test's function; its failures are kept under the names of the file, the class and
    ///     the function.
    ///   - profile: the kind of device that the body gets.
    ///   - sourceLocation: the test's line, where a failure is shown.
    ///   - body: what a test does with a device. It throws an error instead of calling `XCTAssert`.
    public func check(
        _ name: String = #function,
        on profile: DeviceProfile = .phone,
        sourceLocation: SourceLocation = #_sourceLocation,
        _ body: (VirtualDevice) async throws -> Void
    ) async {
        let kept = KeptStories(ofMethod: name, at: sourceLocation)
        let exploration = await self.explore(keeping: kept) { trial in await Self.run(trial, on: profile, body) }
        self.report(exploration, of: name, at: sourceLocation)
    }

    /// Explores stories that failed before, then all seeds, and keeps the story that fails now.
    func explore(keeping kept: KeptStories, _ run: (Trial) async -> Void) async -> Exploration {
        let exploration = await self.explore(first: kept.stories, run)
        kept.keep(exploration.failure?.story)
        return exploration
    }

    /// Reports a failure, or what was not run, and the coverage.
    func report(_ exploration: Exploration, of name: String, at location: SourceLocation) {
        let awaits = exploration.awaits.map { "\nEnded at \(exploration.seeds) of \($0) awaits" } ?? ""
        let coverage = "\(exploration.coverage)\(awaits)\n"
        if let failure = exploration.failure {
            let text = Reporter.isInSwiftTesting ? failure.report(of: name) : failure.reportForXCTest(of: name)
            Reporter.report("\(text)\n\n\(coverage)", at: failure.location ?? location)
        } else if !Task.isCancelled, let shortfall = self.shortfall(of: exploration) {
            // A slow machine must not make a test fail that did run; a test that ran nothing must not pass.
            if exploration.seeds == 0 || !exploration.hasDevice {
                Reporter.report(shortfall, at: location)
            } else {
                Reporter.warn(shortfall, at: location)
            }
        }
        Reporter.attach(coverage, named: "any-device-coverage.txt")
    }

    /// Describes what an exploration without a failure did not run; nil: it ran everything.
    private func shortfall(of exploration: Exploration) -> String? {
        if exploration.awaits == 0, exploration.isWhole {
            return
                "The app awaits nothing, so it was never ended. Check the bundle identifier, and open the app in the test"
        }
        guard exploration.isWhole else {
            let all = exploration.awaits.map { "\($0) awaits" } ?? "\(self.seeds) seeds"
            let reason =
                exploration.ranOutOfTime
                ? "the budget of \(self.budget) ended. Raise `budget`, or shorten the test"
                : "`most` is \(self.seeds). Raise it"
            return "Ran \(exploration.seeds) of \(all): \(reason)"
        }
        return exploration.hasDevice
            ? nil : "The test creates no VirtualDevice, so it played no story. Create one in its body"
    }
}

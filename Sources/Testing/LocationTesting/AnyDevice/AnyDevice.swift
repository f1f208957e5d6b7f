public import Testing

/// Runs a test's body on many devices, each with another seed and another story of troubles.
///
/// ```swift
/// @Test(.anyDevice(seeds: 200)) func sharing() async throws {
///     let device = VirtualDevice()
///     let app = device.install(.friends)
///     device.person.open(app)
///     device.advance(by: .seconds(3600))      // the story happens meanwhile
///     device.endTrouble()
///     …
/// }
/// ```
/// The first device that the body creates has the story; `VirtualDevice(.iOS17)` has another system. The body checks what holds whatever
/// happens; ``Rule`` lists what holds for every app.
/// Runs are deterministic, so that a failure repeats, and a story that fails can be made smaller.
public struct AnyDevice: Sendable {
    /// The number of seeds.
    public var seeds: Int
    /// The first seed.
    public var firstSeed: UInt64
    /// The real time that all seeds together may take; a run that began is finished.
    public var budget: Duration
    /// The troubles that happen before any is drawn, in this order, each as soon as it is possible.
    public var hints: [Trouble]
    /// The kinds of trouble that are drawn.
    public var troubles: Set<Trouble.Kind>
    /// The maximum number of events of a story, without answers to prompts and push extensions that are ended early.
    public var eventsMax: Int
    /// The time from the device's start in which troubles happen.
    public var span: Duration
    /// The rules that are checked.
    public var rules: Set<Rule>
    private static let differencesMax = 12
    /// The maximum number of stories that are tried to make a failure smaller.
    public var shrinkRunsMax = 400

    /// Creates a set of devices.
    ///
    /// - Parameters:
    ///   - seeds: the number of seeds; at least 1.
    ///   - firstSeed: the first seed.
    ///   - budget: the real time for all seeds together.
    ///   - hints: the troubles that happen before any is drawn.
    ///   - without: the kinds of trouble that are not drawn.
    ///   - allowing: the rules that are not checked.
    ///   - eventsMax: the maximum number of events of a story.
    ///   - span: the time from the device's start in which troubles happen.
    public init(
        seeds: Int,
        firstSeed: UInt64 = 1,
        budget: Duration = .seconds(60),
        hints: [Trouble] = [],
        without: Set<Trouble.Kind> = [],
        allowing: Set<Rule> = [],
        eventsMax: Int = 12,
        span: Duration = .seconds(3600)
    ) {
        precondition(seeds > 0, "anyDevice(seeds: \(seeds)) runs nothing; use 1 or more")
        self.seeds = seeds
        self.firstSeed = firstSeed
        self.budget = budget
        self.hints = hints
        self.troubles = Set(Trouble.Kind.allCases).subtracting(without.union([.terminateAtAwait]))
        self.rules = Set(Rule.allCases).subtracting(allowing)
        self.eventsMax = eventsMax
        self.span = span
    }

    // MARK: Functions for every test library

    /// Runs a body for each seed until one fails, and makes the failure's story smaller.
    ///
    /// - Parameters:
    ///   - profile: the kind of device that the body gets.
    ///   - body: what a test does with a device; the run fails if the body throws, if the device finds a problem or if a rule is broken. An
    ///     `#expect` is noticed only in ``AnyDeviceTrait``.
    /// - Returns: the first failure, and the troubles and rules that were reached.
    public func explore(
        on profile: DeviceProfile = .phone,
        _ body: (VirtualDevice) async throws -> Void
    ) async -> Exploration {
        await self.explore(first: []) { trial in await Self.run(trial, on: profile, body) }
    }

    /// Runs a body without troubles, and then once for each await of an app, at which the app's process is ended.
    ///
    /// - Parameters:
    ///   - app: the bundle identifier of the app.
    ///   - profile: the kind of device that the body gets.
    ///   - body: what a test does with a device; the body answers the prompts itself.
    /// - Returns: the first failure, and the number of awaits; at most ``seeds`` of them are run.
    public func exploreAwaits(
        of app: String,
        on profile: DeviceProfile = .phone,
        _ body: (VirtualDevice) async throws -> Void
    ) async -> Exploration {
        await self.explore(awaitsOf: app) { trial in await Self.run(trial, on: profile, body) }
    }

    /// Runs a body once, with a given story.
    ///
    /// - Parameters:
    ///   - story: the story.
    ///   - profile: the kind of device that the body gets.
    ///   - body: what a test does with a device.
    /// - Returns: the failure; nil if there is none.
    public func replay(
        _ story: Story,
        on profile: DeviceProfile = .phone,
        _ body: (VirtualDevice) async throws -> Void
    ) async -> Exploration.Failure? {
        let trial = self.trial(story)
        await Self.run(trial, on: profile, body)
        return trial.failures.isEmpty ? nil : self.failure(trial, seed: nil)
    }

    /// Makes a story that fails smaller.
    ///
    /// - Parameters:
    ///   - story: the story.
    ///   - profile: the kind of device that the body gets.
    ///   - body: what a test does with a device.
    /// - Returns: the failure with the smallest story; nil: the story does not fail.
    public func shrink(
        _ story: Story,
        on profile: DeviceProfile = .phone,
        _ body: (VirtualDevice) async throws -> Void
    ) async -> Exploration.Failure? {
        guard let failure = await self.replay(story, on: profile, body) else { return nil }
        return await self.shrink(failure) { trial in await Self.run(trial, on: profile, body) }
    }

    static func run(
        _ trial: Trial,
        on profile: DeviceProfile = .phone,
        _ body: (VirtualDevice) async throws -> Void
    ) async {
        await Trial.$current.withValue(trial) {
            do {
                try await body(VirtualDevice(profile))
            } catch {
                trial.threw(error)
            }
        }
    }

    // MARK: Exploring

    func trial(_ story: Story) -> Trial {
        Trial(seed: story.seed, choices: story.choices, .written(story.events), rules: self.rules)
    }

    private func trial(seed: UInt64, _ choices: [Int]) -> Trial {
        let drawing = Drawing(seed: seed, kinds: self.troubles, hints: self.hints, eventsMax: self.eventsMax)
        return Trial(seed: seed, choices: choices, .drawn(drawing, span: self.span), rules: self.rules)
    }

    /// Explores stories that failed before, then all seeds.
    func explore(first stories: [Story], _ run: (Trial) async -> Void) async -> Exploration {
        var exploration = Exploration(coverage: StoryCoverage(wanted: self.troubles, checked: self.rules))
        for story in stories {
            let trial = self.trial(story)
            await run(trial)
            if !trial.failures.isEmpty {
                exploration.failure = await self.shrink(self.failure(trial, seed: nil), run)
                return exploration
            }
        }
        let start = ContinuousClock.now
        for number in 0..<UInt64(self.seeds) {
            let seed = self.firstSeed &+ number
            var choices: [Int]? = []
            while let taken = choices {
                guard ContinuousClock.now - start < self.budget, !Task.isCancelled else {
                    exploration.ranOutOfTime = true
                    return exploration
                }
                let trial = self.trial(seed: seed, taken)
                await run(trial)
                exploration.add(trial)
                guard trial.failures.isEmpty else {
                    exploration.seeds += 1
                    exploration.failure = await self.fail(trial, seed, run)
                    return exploration
                }
                choices = trial.nextChoices
            }
            exploration.seeds += 1
        }
        exploration.isWhole = true
        return exploration
    }

    /// Explores the awaits of an app, in their order, for each combination of the body's alternatives.
    func explore(awaitsOf app: String, _ run: (Trial) async -> Void) async -> Exploration {
        var exploration = Exploration(coverage: StoryCoverage(wanted: [.terminateAtAwait], checked: self.rules))
        exploration.awaits = 0
        let start = ContinuousClock.now
        var choices: [Int]? = []
        while let taken = choices, exploration.seeds < self.seeds {
            var (number, count) = (0, 0)
            repeat {
                guard ContinuousClock.now - start < self.budget, !Task.isCancelled else {
                    exploration.ranOutOfTime = true
                    return exploration
                }
                let events = number == 0 ? [] : [Story.Event(at: .zero, .terminateAtAwait(app, number))]
                let trial = self.trial(Story(seed: self.firstSeed, choices: taken, events))
                await run(trial)
                exploration.add(trial)
                if number == 0 {
                    (count, choices) = (trial.awaits(of: app), trial.nextChoices)
                    exploration.awaits? += count
                } else {
                    exploration.seeds += 1
                }
                guard trial.failures.isEmpty else {
                    exploration.failure = self.failure(trial, seed: self.firstSeed)
                    return exploration
                }
                number += 1
            } while number <= count && exploration.seeds < self.seeds
            exploration.isWhole = choices == nil && number > count
        }
        return exploration
    }

    func failure(_ trial: Trial, seed: UInt64?) -> Exploration.Failure {
        let failures = trial.failures
        return Exploration.Failure(
            seed: seed,
            story: trial.story,
            eventsDrawn: trial.story.events.count,
            identity: failures.first?.identity ?? "",
            messages: failures.map(\.text),
            awaits: trial.struck.map(\.line),
            timeline: trial.timeline,
            location: failures.first?.location
        )
    }

    /// Runs a story that failed once more; makes it smaller if it fails in the same way.
    private func fail(_ trial: Trial, _ seed: UInt64, _ run: (Trial) async -> Void) async -> Exploration.Failure {
        var failure = self.failure(trial, seed: seed)
        let again = self.trial(trial.story)
        await run(again)
        guard again.fingerprint == trial.fingerprint, again.failures.first?.identity == failure.identity else {
            failure.difference =
                LineDifference(again.timeline, from: trial.timeline)?.words
                .split(separator: "\n").prefix(Self.differencesMax).joined(separator: "\n")
                ?? "the timelines are equal, and the failures differ"
            return failure
        }
        return await self.shrink(failure, run)
    }

    func shrink(_ failure: Exploration.Failure, _ run: (Trial) async -> Void) async -> Exploration.Failure {
        var failure = failure
        let identity = failure.identity
        var shrinker = Shrinker(failure.story, runsMax: self.shrinkRunsMax)
        await shrinker.shrink { story in
            let trial = self.trial(story)
            await run(trial)
            return trial.failures.contains { $0.identity == identity } ? trial.story : nil
        }
        let smallest = self.trial(shrinker.best)
        await run(smallest)
        let failures = smallest.failures.filter { $0.identity == identity }
        failure.story = shrinker.best
        failure.runsToShrink = shrinker.runs
        failure.messages = failures.map(\.text)
        failure.location = failures.first?.location
        failure.awaits = smallest.struck.map(\.line)
        failure.timeline = smallest.timeline
        return failure
    }
}

extension Trial {
    /// Records that the body threw, unless the reason is already recorded, as by `#require`.
    func threw(_ error: any Error) {
        let words = "throwing \(error)".filter { !$0.isNumber }.prefix(80)
        if self.failures.isEmpty { self.fail(Failure(identity: String(words), "threw \(error)")) }
    }
}

extension VirtualDevice {
    /// Ends the story that ``AnyDevice`` plays, and every trouble that lasts.
    ///
    /// Afterwards the device is on and unlocked, and has a network, a signal and its location service. Settings and answers stay. This
    /// call does nothing without a story.
    ///
    /// - Parameter sourceLocation: the test's line, where a problem is shown.
    public func endTrouble(sourceLocation: SourceLocation = #_sourceLocation) {
        self.host.group.act(at: sourceLocation) { self.host.context.story?.finish() }
    }
}

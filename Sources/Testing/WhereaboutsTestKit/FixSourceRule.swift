internal import Synchronization
public import Testing
internal import WhereaboutsLocationEngine
public import WhereaboutsLocationHost

/// The rules that every ``LocationHost/FixSource`` follows; `locationd` relies on each.
///
/// ```swift
/// @Test(.timeLimit(.minutes(1)), arguments: FixSourceRule.allCases) func mySourceKeeps(_ rule: FixSourceRule) async throws {
///     try await rule.check { report in MySource(report: report) }
/// }
/// ```
/// The source needs a receiver that has a position and reports it several times a second, or the test takes long. A
/// source that reports nothing keeps the test waiting: give the test a time limit.
public enum FixSourceRule: String, CaseIterable, Sendable, CustomTestStringConvertible {
    /// Nothing is reported before the start.
    case isSilentUntilStarted
    /// After its start the source reports that it is ready, and then fixes.
    case tellsThatItIsReadyAndThenFixes
    /// Fixes have valid coordinates, and times that do not decrease.
    case fixesArePlacesInTheOrderOfTime
    /// Starting the source again causes no duplicate reports.
    case mayBeStartedAgainWhileOn
    /// A stopped source is silent.
    case isSilentOnceStopped
    /// Stopping a source that is off has no effect.
    case mayBeStoppedWhileOff
    /// A stopped source can be started again.
    case startsAgain

    /// The name of the rule.
    public var testDescription: String { self.rawValue }

    /// Checks the rule; a violation is an issue of the running test.
    ///
    /// - Parameter make: makes a source that is off and reports to the function; called several times; the sources
    ///   exist at the same time.
    /// - Throws: what `make` throws.
    public func check(
        _ make: (_ report: @escaping @Sendable (FixSourceEvent) -> Void) async throws -> any FixSource
    ) async throws {
        let (ear, clock) = (Ear(), Ear())
        let source = try await make(ear.hear)
        // This second source shows that time passes: it must report fixes while the tested source is silent.
        let other = try await make(clock.hear)
        defer {
            source.stop()
            other.stop()
        }
        switch self {
        case .isSilentUntilStarted:
            other.start()
            await clock.hearFixes(2)
            #expect(ear.all.isEmpty)
        case .tellsThatItIsReadyAndThenFixes:
            source.start()
            await ear.hearFixes(2)
            #expect(ear.all.first == .ready)
        case .fixesArePlacesInTheOrderOfTime:
            source.start()
            await ear.hearFixes(5)
            let fixes = ear.fixes
            #expect(fixes.allSatisfy { $0.latitude.magnitude <= 900_000_000 })
            #expect(fixes.allSatisfy { $0.longitude.magnitude <= 1_800_000_000 })
            #expect(fixes.allSatisfy { ($0.horizontalAccuracy ?? 0) >= 0 })
            for (next, last) in zip(fixes.dropFirst(), fixes) {
                #expect(next.arrival >= last.arrival && next.time >= last.time)
            }
        case .mayBeStartedAgainWhileOn:
            for _ in 0..<3 { source.start() }
            other.start()
            await clock.hearFixes(1)
            let before = (ear.fixes.count, clock.fixes.count)
            await clock.hearFixes(10)
            let after = (ear.fixes.count, clock.fixes.count)
            // A source that runs twice reports two fixes for each of the other source's; two more may come, at the
            // beginning and at the end.
            #expect(after.0 - before.0 <= after.1 - before.1 + 2)
        case .isSilentOnceStopped:
            source.start()
            await ear.hearFixes(1)
            source.stop()
            other.start()
            // A report that was under way has arrived by then.
            await clock.hearFixes(1)
            let told = ear.all.count
            await clock.hearFixes(5)
            #expect(ear.all.count == told)
        case .mayBeStoppedWhileOff:
            source.stop()
            source.start()
            await ear.hearFixes(1)
            source.stop()
            source.stop()
        case .startsAgain:
            for _ in 0..<3 {
                source.start()
                let before = ear.fixes.count
                await ear.hearFixes(before + 2)
                source.stop()
            }
        }
    }
}

/// The events of one source.
private final class Ear: Sendable {
    private let told = Mutex<[FixSourceEvent]>([])
    private let news: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (self.news, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var all: [FixSourceEvent] { self.told.withLock { $0 } }
    var fixes: [Fix] { self.all.compactMap { if case .measured(.fix(let fix)) = $0 { fix } else { nil } } }

    @Sendable func hear(_ event: FixSourceEvent) {
        self.told.withLock { $0.append(event) }
        self.continuation.yield()
    }

    /// Waits until this many fixes were reported in total.
    func hearFixes(_ count: Int) async {
        guard self.fixes.count < count else { return }
        for await _ in self.news where self.fixes.count >= count { return }
    }
}

internal import Testing

@testable internal import WhereaboutsLocationTesting

/// Tests for the shrinker with stories whose smallest form is known.
@Suite struct ShrinkerTests {
    /// A long story of irrelevant events, with others among them.
    private static func story(_ needed: [(Int, Trouble)]) -> Story {
        let others = (0..<40).map { Story.Event(at: .milliseconds(50_000 * $0 + 17), .terminate("other \($0)")) }
        return Story(seed: 5, others + needed.map { .init(at: .milliseconds($0.0), $0.1) })
    }

    private static func shrunk(_ story: Story, _ fails: (Story) -> Bool) async -> (story: Story, runs: Int) {
        var shrinker = Shrinker(story, runsMax: 400)
        await shrinker.shrink { fails($0) ? $0 : nil }
        return (shrinker.best, shrinker.runs)
    }

    private static func time(of trouble: Trouble, in story: Story) -> Duration? {
        story.events.first { $0.trouble.kind == trouble.kind }?.time
    }

    @Test func oneOfManyEvents() async {
        let update = Trouble.update("app")
        let (story, runs) = await Self.shrunk(Self.story([(777_777, update)])) {
            $0.events.contains { $0.trouble == update }
        }
        #expect(story == Story(seed: 5, [.init(at: .milliseconds(1), update)]))
        #expect(runs < 60)
    }

    @Test func noEventAtAll() async {
        let (story, _) = await Self.shrunk(Self.story([])) { _ in true }
        #expect(story == Story(seed: 5))
    }

    @Test func twoEventsThatNeedEachOtherInOrder() async {
        let (crash, reset) = (Trouble.crash("app"), Trouble.newPushTokens)
        let (story, _) = await Self.shrunk(Self.story([(100_000, crash), (1_500_000, reset)])) { story in
            guard let one = Self.time(of: crash, in: story), let two = Self.time(of: reset, in: story) else {
                return false
            }
            return one < two
        }
        #expect(story.events == [.init(at: .milliseconds(1), crash), .init(at: .milliseconds(2), reset)])
    }

    /// Goal: a necessary pause stays, and is rounded up to the next longer one.
    @Test func aPauseThatIsNeeded() async {
        let (crash, reset) = (Trouble.crash("app"), Trouble.newPushTokens)
        let (story, _) = await Self.shrunk(Self.story([(100_000, crash), (1_500_000, reset)])) { story in
            guard let one = Self.time(of: crash, in: story), let two = Self.time(of: reset, in: story) else {
                return false
            }
            return two - one > .seconds(35)
        }
        #expect(story.events == [.init(at: .milliseconds(1), crash), .init(at: .milliseconds(60_001), reset)])
    }

    @Test(arguments: [1, -1]) func durations(_ sign: Int) async {
        let (story, _) = await Self.shrunk(Self.story([(9000, .moveClock(by: .seconds(3000 * sign)))])) { story in
            story.events.contains { event in
                guard case .moveClock(let duration) = event.trouble else { return false }
                return max(duration, .zero - duration) >= .seconds(10)
            }
        }
        #expect(story.events == [.init(at: .milliseconds(1), .moveClock(by: .seconds(10 * sign)))])
    }

    /// Goal: events that did not happen in a smaller story are removed.
    @Test func eventsThatNoLongerHappenAreDropped() async {
        let (open, crash) = (Trouble.open("app"), Trouble.crash("app"))
        var shrinker = Shrinker(Story([.init(at: .seconds(1), open), .init(at: .seconds(2), crash)]), runsMax: 400)
        await shrinker.shrink { story in
            Story(
                story.events.filter { event in event.trouble == open || story.events.contains { $0.trouble == open } }
            )
        }
        #expect(shrinker.best.events == [])
    }

    @Test func theNumberOfRunsIsBounded() async {
        var shrinker = Shrinker(Self.story([]), runsMax: 7)
        await shrinker.shrink { _ in nil }
        #expect(shrinker.runs == 7)
    }
}

/// Makes a story that fails smaller, as long as it fails in the same way.
///
/// It removes chunks of events, then single ones; moves the events together; then rounds and shortens durations. The result
/// depends only on the story and on the outcomes of the runs.
struct Shrinker {
    private static let pauses: [Duration] = [.milliseconds(1), .seconds(1), .seconds(10), .seconds(60), .seconds(600)]

    private(set) var best: Story
    /// The number of stories that were tried.
    private(set) var runs = 0
    private let runsMax: Int

    /// Plays a story; returns the events that happened if it fails in the same way, and nil if not.
    typealias Player = (Story) async -> Story?

    init(_ story: Story, runsMax: Int) {
        self.best = story
        self.runsMax = runsMax
    }

    mutating func shrink(_ play: Player) async {
        var before: Story
        repeat {
            before = self.best
            await self.removeEvents(play)
            await self.moveTogether(play)
            await self.shorten(play)
        } while self.best != before && self.runs < self.runsMax
    }

    /// Plays a story; if it fails, the events that happened become the best story.
    private mutating func accepts(_ story: Story, _ play: Player) async -> Bool {
        guard self.runs < self.runsMax, story != self.best else { return false }
        self.runs += 1
        guard let happened = await play(story) else { return false }
        self.best = happened
        return true
    }

    private mutating func removeEvents(_ play: Player) async {
        var size = self.best.events.count
        while size > 0 {
            var start = 0
            while start < self.best.events.count {
                var story = self.best
                story.events.removeSubrange(start..<min(start + size, story.events.count))
                if await !self.accepts(story, play) { start += size }
            }
            size /= 2
        }
    }

    /// Shortens the time before each event; all later events move with it.
    private mutating func moveTogether(_ play: Player) async {
        var index = 0
        while index < self.best.events.count {
            let start = index == 0 ? .zero : self.best.events[index - 1].time
            let gap = self.best.events[index].time - start
            for pause in Self.pauses where pause < gap {
                var story = self.best
                for later in index..<story.events.count { story.events[later].time -= gap - pause }
                if await self.accepts(story, play) { break }
            }
            index += 1
        }
    }

    private mutating func shorten(_ play: Player) async {
        var index = 0
        while index < self.best.events.count {
            for place in self.best.events[index].trouble.durations.indices {
                for length in Self.pauses {
                    var story = self.best
                    // An accepted story may have fewer events.
                    guard index < story.events.count, place < story.events[index].trouble.durations.count else {
                        return
                    }
                    let now = story.events[index].trouble.durations[place]
                    guard length < max(now, .zero - now) else { break }
                    story.events[index].trouble.durations[place] = now < .zero ? .zero - length : length
                    if await self.accepts(story, play) { break }
                }
            }
            index += 1
        }
    }
}

/// What every part of a device uses: its time, its record, and the story that is played on it.
final class DeviceContext {
    let time: DeviceTime
    let timeline: Timeline
    let problems = Problems()
    /// Plays the story, which acts on the whole device; nil: no troubles happen.
    var story: StoryPlayer?

    init(_ clock: VirtualClock) {
        self.time = DeviceTime(clock)
        self.timeline = Timeline(clock: clock)
    }
}

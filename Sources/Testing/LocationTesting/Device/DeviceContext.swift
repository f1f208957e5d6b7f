/// The time and the timeline of a device, its problems, and the story that is played on it; every part uses them.
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

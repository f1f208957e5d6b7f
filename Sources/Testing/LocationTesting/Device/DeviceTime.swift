internal import Foundation
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The time of a device: its clock, its time zone, and the events that the device planned for later.
final class DeviceTime {
    let clock: VirtualClock
    /// The time zone that the test set; nil: the time zone of the test process.
    var timeZone: TimeZone?
    private var events = EventHeap<Int64, () -> Void>()

    init(_ clock: VirtualClock) { self.clock = clock }

    var instant: EngineInstant { EngineInstant(sinceStart: .nanoseconds(self.clock.now)) }

    var now: Now {
        Now(monotonic: self.instant, wall: WallTime(microseconds: (self.clock.epoch + self.clock.now) / 1000))
    }

    /// The time by all clocks except the device's own.
    var trueTime: WallTime { WallTime(microseconds: (self.clock.trueEpoch + self.clock.now) / 1000) }

    /// When the next planned event happens; `Int64.max`: nothing is planned.
    var nextEvent: Int64 { self.events.nextTime ?? .max }

    func schedule(after delay: Duration, _ happen: @escaping () -> Void) {
        self.events.insert(happen, at: self.clock.now + delay.nanoseconds)
    }

    /// Runs the planned events whose time has come.
    func runEvents() {
        while let event = self.events.removeNext(by: self.clock.now)?.event { event() }
    }
}

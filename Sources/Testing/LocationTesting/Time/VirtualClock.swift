internal import WhereaboutsCVirtualTime

/// The time of one device, in nanoseconds since its start, and its clocks; only the kernel moves it.
final class VirtualClock {
    /// The part of the clock that a separate process must share to have the same time.
    struct Setting {
        /// Nanoseconds from 1970 to the device's start, by the device's wall clock.
        var epoch: Int64
        /// When the device was last switched on.
        var boot: Int64
    }

    /// The time that all devices of one kernel share.
    private final class Shared {
        var now: Int64 = 0
    }

    private let time: Shared
    var setting: Setting
    /// Nanoseconds from 1970 to the device's start in true time: for receivers, and for code outside devices.
    let trueEpoch: Int64

    /// The device starts with an uptime of an hour, because the time 0 means "now" to libdispatch.
    private static let uptimeAtStart: Int64 = 3_600_000_000_000
    /// The time from switching on to the first program.
    private static let timeToBoot: Int64 = 1_000_000_000

    init(epoch: Int64) {
        self.time = Shared()
        self.trueEpoch = epoch
        self.setting = Setting(epoch: epoch, boot: -Self.uptimeAtStart)
    }

    /// Creates the clock of another device that shares the time of this one, and starts now.
    init(beside other: VirtualClock) {
        self.time = other.time
        self.trueEpoch = other.trueEpoch
        self.setting = Setting(epoch: other.trueEpoch, boot: other.now - Self.uptimeAtStart)
    }

    /// Creates a clock for code outside the device: it shares the device's time, is always right, and survives a boot.
    init(outside device: VirtualClock) {
        self.time = device.time
        self.trueEpoch = device.trueEpoch
        self.setting = Setting(epoch: device.trueEpoch, boot: -Self.uptimeAtStart)
    }

    init(_ setting: Setting) {
        self.time = Shared()
        self.trueEpoch = setting.epoch
        self.setting = setting
    }

    var now: Int64 { self.time.now }

    /// Nanoseconds from 1970 to the start, for people.
    var epoch: Int64 { self.setting.epoch }

    func move(to instant: Int64) { self.time.now = instant }

    /// Puts the wall clock forward, or back.
    func put(forward nanoseconds: Int64) { self.setting.epoch += nanoseconds }

    /// The device was switched on: the clocks that count from a boot start again.
    func booted() { self.setting.boot = self.now - Self.timeToBoot }

    /// Gives this thread these clocks.
    func show() { cvirtualtime_set_clocks(self.now, self.setting.epoch, self.setting.boot) }
}

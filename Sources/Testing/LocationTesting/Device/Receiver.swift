internal import WhereaboutsGeodesy
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The device's receiver: while the engine needs it, one position a second, from the world's true position and sky.
final class VirtualReceiver: VirtualSensor {
    /// The receiver's power, and the time of its next position.
    private enum State {
        /// Without power.
        case off
        /// The receiver is on; its next position comes at this instant.
        case on(next: Int64)
    }

    private static let period: Int64 = 1_000_000_000

    private var state = State.off
    private var sees: Bool?
    private let profile: DeviceProfile
    private let world: World
    private let timeline: Timeline

    init(profile: DeviceProfile, world: World, timeline: Timeline) {
        self.profile = profile
        self.world = world
        self.timeline = timeline
    }

    var sensor: Sensor { .receiver }
    var next: Int64 { if case .on(let next) = self.state { next } else { .max } }

    var isOn: Bool { if case .on = self.state { true } else { false } }

    /// The reason why it has no position, for people; nil if it has one, is off, or has not measured yet.
    var trouble: String? { self.sees == false ? "the receiver has no signal" : nil }

    func start(now: Int64) {
        guard !self.isOn else { return }
        self.timeline.add(.decision, "receiver", "is switched on")
        // Receivers measure at whole seconds.
        let first = now + self.profile.timeToFirstFix.nanoseconds
        self.state = .on(next: (first + Self.period - 1) / Self.period * Self.period)
    }

    func stop() {
        guard self.isOn else { return }
        self.timeline.add(.decision, "receiver", "is switched off")
        self.state = .off
        self.sees = nil
    }

    /// Returns the position of this second, if there is a signal.
    func tick(now: Int64, epoch: Int64) -> [SensorReport] {
        self.state = .on(next: now + Self.period)
        let sky = self.world.sky(at: now)
        if sky.hasSignal != self.sees {
            self.sees = sky.hasSignal
            self.timeline.add(.event, "receiver", sky.hasSignal ? "sees the satellites" : "sees no satellites")
        }
        guard sky.hasSignal else { return [] }
        var truth = self.world.truth(at: now)
        if let mistake = sky.mistake { truth.position = mistake }
        // One degree of latitude is 111.3 km, which is precise enough for errors of metres.
        let north = self.world.error(of: sky.accuracy) / 111_320
        let east =
            self.world.error(of: sky.accuracy) / 111_320 / max(0.01, Self.cosine(ofDegrees: truth.position.latitude))
        var longitude = truth.position.longitude + east
        if abs(longitude) > 180 { longitude = longitude.remainder(dividingBy: 360) }
        let fix = Fix(
            latitude: Int32(((max(-90, min(90, truth.position.latitude + north))) * 1e7).rounded()),
            longitude: Int32((longitude * 1e7).rounded()),
            horizontalAccuracy: Int32(min(sky.accuracy * 1000, 2e9)),
            altitude: truth.altitude.map { Int32(max(-2e9, min(2e9, $0 * 1000))) },
            verticalAccuracy: truth.altitude.map { _ in Int32(min(sky.accuracy * 2000, 2e9)) },
            course: truth.course.map { Int32(($0 < 0 ? $0 + 360 : $0) * 100) % 36_000 },
            speed: Int32(min(truth.speed * 1000, 2e9)),
            receiver: self.profile.takesNoiseOut ? 0 : nil,
            time: WallTime(microseconds: (epoch + now) / 1000),
            arrival: EngineInstant(sinceStart: .nanoseconds(now))
        )
        return [.fix(fix)]
    }

    /// Bhaskara's approximation, within 0.2 %: enough for an error, and the same on every machine.
    private static func cosine(ofDegrees angle: Double) -> Double {
        let squared = angle * angle
        return (32_400 - 4 * squared) / (32_400 + squared)
    }
}

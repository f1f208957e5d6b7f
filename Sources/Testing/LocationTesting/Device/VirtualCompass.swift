internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// The device's compass: while the engine needs it, five headings a second, from the world's true heading.
final class VirtualCompass: VirtualSensor {
    private static let period: Int64 = 200_000_000

    private let world: World
    var sensor: Sensor { .compass }
    private(set) var next = Int64.max

    init(world: World) {
        self.world = world
    }

    func start(now: Int64) {
        guard self.next == .max else { return }
        self.next = now + Self.period
    }

    func stop() { self.next = .max }

    func tick(now: Int64, epoch: Int64) -> [SensorReport] {
        self.next = now + Self.period
        let pointing = self.world.pointing(at: now)
        func hundredths(_ degrees: Double) -> Int32 {
            let rest = Int32((degrees * 100).rounded()) % 36_000
            return rest < 0 ? rest + 36_000 : rest
        }
        let heading = Heading(
            magnetic: hundredths(pointing - (self.world.magneticVariation ?? 0)),
            geographic: self.world.magneticVariation.map { _ in hundredths(pointing) },
            accuracy: self.world.isCompassDisturbed ? nil : hundredths(self.world.headingAccuracy),
            time: WallTime(microseconds: (epoch + now) / 1000),
            arrival: EngineInstant(sinceStart: .nanoseconds(now))
        )
        return [.heading(heading)]
    }
}

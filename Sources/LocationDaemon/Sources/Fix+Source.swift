internal import LocationEngine
internal import LocationSources
internal import Vocabulary

extension Fix {
    /// Takes over what a receiver measured; the engine dates what it cannot date.
    init(_ source: SourceFix) {
        let now = Clocks.now()
        self.init(
            latitude: Self.integer(source.latitude * 1e7),
            longitude: Self.integer(source.longitude * 1e7),
            horizontalAccuracy: source.horizontalAccuracy < 0
                ? nil : Self.integer(source.horizontalAccuracy * 1000),
            altitude: source.altitude.map { Self.integer($0 * 1000) },
            verticalAccuracy: source.verticalAccuracy.map { Self.integer($0 * 1000) },
            course: source.course.map { Self.integer($0 * 100) % 36_000 },
            speed: source.speed.map { Self.integer($0 * 1000) },
            time: source.time.map { WallTime(timeIntervalSince1970: $0) } ?? now.wall,
            arrival: now.monotonic
        )
    }

    private static func integer(_ value: Double) -> Int32 {
        Int32(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
    }
}

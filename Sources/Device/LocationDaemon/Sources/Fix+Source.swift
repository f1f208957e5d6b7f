internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationSources
internal import WhereaboutsVocabulary

extension Fix {
    /// Converts a fix of a receiver or a recording; a fix without a time receives the time of its arrival.
    ///
    /// - Parameters:
    ///   - source: the fix.
    ///   - receiver: the number of the receiver; nil: the fix comes from a recording, and is passed on unchanged.
    init(_ source: SourceFix, receiver: UInt8?) {
        let now = Clocks.now()
        self.init(
            latitude: Self.integer(source.latitude * 1e7),
            longitude: Self.integer(source.longitude * 1e7),
            horizontalAccuracy: source.horizontalAccuracy < 0
                ? nil : Self.integer(source.horizontalAccuracy * 1000),
            altitude: source.altitude.map { Self.integer($0 * 1000) },
            ellipsoidalAltitude: source.ellipsoidalAltitude.map { Self.integer($0 * 1000) },
            verticalAccuracy: source.verticalAccuracy.map { Self.integer($0 * 1000) },
            course: source.course.map { Self.integer($0 * 100) % 36_000 },
            courseAccuracy: source.courseAccuracy.map { Self.integer($0 * 100) },
            speed: source.speed.map { Self.integer($0 * 1000) },
            speedAccuracy: source.speedAccuracy.map { Self.integer($0 * 1000) },
            isSimulated: receiver == nil,
            receiver: source.isEstimate ? nil : receiver,
            time: source.time(now: now.wall.timeIntervalSince1970).map { WallTime(timeIntervalSince1970: $0) }
                ?? now.wall,
            arrival: now.monotonic
        )
    }

    private static func integer(_ value: Double) -> Int32 {
        Int32(exactly: value.rounded()) ?? (value < 0 ? .min : .max)
    }
}

internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationSources
internal import WhereaboutsVocabulary

extension Heading {
    /// Converts a receiver's heading, which has no accuracy.
    init(_ source: SourceHeading) {
        let now = Clocks.now()
        self.init(
            magnetic: source.magnetic.map(Self.hundredths),
            geographic: source.geographic.map(Self.hundredths),
            accuracy: source.isDisturbed ? nil : Self.unknownAccuracy,
            time: source.time.map { WallTime(timeIntervalSince1970: $0) } ?? now.wall,
            arrival: now.monotonic
        )
    }

    /// An angle in degrees as hundredths of a degree, below 360 degrees.
    private static func hundredths(_ angle: Double) -> Int32 { Int32((angle * 100).rounded()) % 36_000 }
}

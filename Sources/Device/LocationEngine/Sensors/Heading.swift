public import WhereaboutsVocabulary

/// A measured heading: where the top of the device points.
///
/// A compass reports the heading from magnetic north, from true north, or both. Neither is computed from the other
/// without a variation that the compass reports as well: an assumed variation could be wrong by up to 180° (ADR 0036).
public struct Heading: Sendable, Hashable {
    /// From magnetic north in 1e-2 degree, 0…35 999; nil when it is not known.
    public var magnetic: Int32?
    /// From true north in 1e-2 degree, 0…35 999; nil when it is not known.
    public var geographic: Int32?
    /// The possible error in 1e-2 degree; nil when the compass is disturbed, so that the error is unknown.
    public var accuracy: Int32?
    /// When the heading was measured, on the device's wall clock.
    public var time: WallTime
    /// When the heading reached the engine.
    public var arrival: EngineInstant

    /// The accuracy assumed for a compass that reports none, in 1e-2 degree: 10°.
    ///
    /// A poor value on purpose: the deviation that an uncompensated compass can have on a boat or in a car.
    public static var unknownAccuracy: Int32 { 1000 }

    /// Creates a heading.
    public init(
        magnetic: Int32?,
        geographic: Int32? = nil,
        accuracy: Int32? = Self.unknownAccuracy,
        time: WallTime,
        arrival: EngineInstant
    ) {
        self.magnetic = magnetic
        self.geographic = geographic
        self.accuracy = accuracy
        self.time = time
        self.arrival = arrival
    }

    /// The heading for an app that may not read positions: both norths together reveal the variation, and roughly the
    /// place.
    var withoutPlace: Heading? {
        guard self.magnetic != nil || self.accuracy == nil else { return nil }
        var heading = self
        heading.geographic = nil
        return heading
    }

    /// How far the device turned since another heading, in 1e-2 degree; nil when the two cannot be compared.
    func turn(since last: Heading) -> Int32? {
        guard (self.accuracy == nil) == (last.accuracy == nil), (self.geographic == nil) == (last.geographic == nil)
        else { return nil }
        let pair: (Int32, Int32)? =
            if let now = self.magnetic, let before = last.magnetic {
                (now, before)
            } else if let now = self.geographic, let before = last.geographic {
                (now, before)
            } else { nil }
        guard let (now, before) = pair else { return nil }
        let difference = abs(now - before) % 36_000
        return min(difference, 36_000 - difference)
    }
}

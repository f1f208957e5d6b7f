/// A measured heading as reported by a receiver: true, magnetic, or both.
public struct SourceHeading: Sendable, Hashable {
    /// Degrees clockwise from magnetic north, 0..<360; nil when it was not reported.
    public var magnetic: Double?
    /// Degrees clockwise from true north, 0..<360; nil when it was not reported.
    public var geographic: Double?
    /// Whether the receiver reports a disturbance of its compass.
    public var isDisturbed: Bool
    /// When the heading was measured, in UNIX seconds (UTC); nil when it was not reported.
    public var time: Double?

    /// Creates a heading.
    ///
    /// - Parameters:
    ///   - magnetic: degrees from magnetic north.
    ///   - geographic: degrees from true north.
    ///   - variation: degrees from true to magnetic north, east positive, as reported by the receiver; converts one
    ///     heading to the other.
    ///   - isDisturbed: whether something disturbs the compass.
    ///   - time: UNIX seconds.
    public init(
        magnetic: Double?,
        geographic: Double?,
        variation: Double? = nil,
        isDisturbed: Bool = false,
        time: Double? = nil
    ) {
        let (own, known) = (magnetic, geographic)
        self.magnetic = (own ?? known.flatMap { known in variation.map { known - $0 } }).map(Self.turned)
        self.geographic = (known ?? own.flatMap { own in variation.map { own + $0 } }).map(Self.turned)
        self.isDisturbed = isDisturbed
        self.time = time
    }

    private static func turned(_ angle: Double) -> Double {
        let rest = angle.truncatingRemainder(dividingBy: 360)
        return rest < 0 ? rest + 360 : rest
    }
}

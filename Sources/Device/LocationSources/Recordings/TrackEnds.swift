internal import WhereaboutsGeodesy

/// Leaves the ends out of a recording while it is made, so that it does not show where a person lives or went.
///
/// ```
///   home ──────────┤══════════ written ══════════├┄┄┄┄┄┄ held ┄┄┄┄┄┄ now
///     within a radius of the first fix             no later fix is a radius away
/// ```
/// A fix near the first one is left out, also on the way back. "Near" includes the accuracy of the first fix, which is poor
/// where a receiver has just been switched on. Any other fix is held until the device has moved a radius away from it. The
/// fixes that are held when the recording ends are left out: they are near its end, wherever that is. ``PassRemover`` then
/// removes earlier passes near the end, which are written by that time.
public struct TrackEnds: Sendable {
    /// The radii in metres, from which one is drawn for each end.
    ///
    /// With a fixed radius, home would be the center of a circle on which all tracks of a person begin.
    /// The smallest circle has 0.2 km², about 200 homes in a town of 1,000 homes per km².
    public static let radii = 250.0...500.0
    /// The maximum number of fixes that are held: a day at 1 Hz.
    ///
    /// Beyond it, the older half is left out.
    static let heldMax = 86_400

    private var startRadius: Double
    private let endRadius: Double
    private var start: GeodeticCoordinate?
    private var newest: GeodeticCoordinate?
    private var held: [(fix: SourceFix, place: GeodeticCoordinate)] = []
    private var droppedCount = 0

    /// Creates the ends of a recording that begins.
    ///
    /// - Parameter random: draws the radii.
    public init(using random: inout some RandomNumberGenerator) {
        self.startRadius = Double.random(in: Self.radii, using: &random)
        self.endRadius = Double.random(in: Self.radii, using: &random)
    }

    /// The number of fixes that are left out if the recording ends now.
    public var leftOutCount: Int { self.droppedCount + self.held.count }

    /// Takes the next fix.
    ///
    /// - Parameter fix: the fix.
    /// - Returns: the fixes to write now, in their order.
    public mutating func received(_ fix: SourceFix) -> [SourceFix] {
        guard let place = GeodeticCoordinate(latitude: fix.latitude, longitude: fix.longitude) else { return [] }
        self.newest = place
        if self.start == nil {
            self.start = place
            self.startRadius += max(fix.horizontalAccuracy, 0)
        }
        let start = self.start ?? place
        let near = self.held.firstIndex { Self.distance($0.place, place) <= self.endRadius }
        let passed = self.held.prefix(near ?? self.held.count).map(\.fix)
        self.held.removeFirst(passed.count)
        if Self.distance(start, place) <= self.startRadius {
            self.droppedCount += 1
        } else {
            self.held.append((fix, place))
        }
        if self.held.count > Self.heldMax {
            self.held.removeFirst(Self.heldMax / 2)
            self.droppedCount += Self.heldMax / 2
        }
        return passed
    }

    /// Returns whether a place is near the newest fix: near the end, if the recording ends now.
    func isNearEnd(latitude: Double, longitude: Double) -> Bool {
        guard let newest, let place = GeodeticCoordinate(latitude: latitude, longitude: longitude) else { return false }
        return Self.distance(newest, place) <= self.endRadius
    }

    private static func distance(_ one: GeodeticCoordinate, _ other: GeodeticCoordinate) -> Double {
        Geodesic.inverse(from: one, to: other).distance.value
    }
}

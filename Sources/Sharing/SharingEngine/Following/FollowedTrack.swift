internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// Derives what followers are told from the device's fixes: that it moves, or since when it stands still.
struct FollowedTrack: Sendable, Hashable {
    /// How far the fixes of a still device may spread, unless their accuracies are worse, in millimetres.
    ///
    /// Source: our choice; a house, and the noise of a good receiver near walls.
    static let stillRadius: Int64 = 20_000
    /// The worst accuracy that counts as standing still, in millimetres.
    ///
    /// Source: our choice; less exact fixes could not tell a walk around the block from standing still.
    static let stillRadiusMax: Int64 = 100_000
    /// How long fixes must stay within this distance before the device counts as still.
    ///
    /// Source: our choice; longer than any traffic light.
    static let stillPeriod: Duration = .seconds(120)

    /// The present place; nil before the first report.
    private(set) var place: FollowedPlace?
    /// The fix around which the following ones lie, and its time.
    private var anchor: Anchor?

    private struct Anchor: Sendable, Hashable {
        let fix: SharedFix
        let since: WallTime
    }

    mutating func located(_ fix: SharedFix, isStationary: Bool, now: WallTime) {
        var anchor = self.anchor ?? Anchor(fix: fix, since: now)
        if Self.millimetres(anchor.fix, fix) > Self.tolerance(anchor.fix, fix) {
            anchor = Anchor(fix: fix, since: now)
        }
        self.anchor = anchor
        let isStill = isStationary || anchor.since.duration(to: now) >= Self.stillPeriod
        self.place = isStill ? .still(fix, since: anchor.since) : .moving(fix)
    }

    /// Records that the position is unknown, but keeps the time since when the device has been still.
    mutating func lost(_ reason: String) { self.place = .unknown(reason) }

    /// The length of the shortest path between two fixes.
    static func millimetres(_ one: SharedFix, _ other: SharedFix) -> Int64 {
        guard let from = GeodeticCoordinate(latitude: one.latitude, longitude: one.longitude),
            let to = GeodeticCoordinate(latitude: other.latitude, longitude: other.longitude)
        else { return .max }
        return Geodesic.inverse(from: from, to: to).distance.millimeters
    }

    private static func tolerance(_ one: SharedFix, _ other: SharedFix) -> Int64 {
        let accuracy = Meters(max(one.horizontalAccuracy, other.horizontalAccuracy)).millimeters
        return min(max(self.stillRadius, accuracy), self.stillRadiusMax)
    }
}

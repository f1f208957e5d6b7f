internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// The best accuracy that is accepted from one source, learned from the scatter of its fixes.
///
/// Without measured motion, the distance between two successive fixes is an error. The floor follows the 68 % quantile of these
/// errors over a few hundred fixes, by steps up and down (Robbins and Monro, 1951): a source that scatters more than it claims
/// counts as less accurate. Errors change slowly, so the scatter is less than the error: a lower bound, not an estimate.
public struct AccuracyFloor: Sendable, Hashable {
    /// The floor in millimetres, 0…100 m.
    public private(set) var value: Int64 = 0

    /// Starts at zero: every reported accuracy is accepted.
    public init() {}

    /// The largest floor in millimetres; a source with a larger error reports that error itself.
    static let ceiling: Int64 = 100_000

    /// Records a fix that was used, and the fix before it.
    ///
    /// - Parameters:
    ///   - sighting: the fix.
    ///   - last: the fix before it, of the same source.
    ///   - policy: the numbers.
    public mutating func sightingUsed(_ sighting: Sighting, after last: Sighting, policy: BeliefPolicy) {
        let elapsed = last.measured.duration(to: sighting.measured)
        guard elapsed > .zero, elapsed <= policy.motionGapMax, let speed = sighting.speed, speed < policy.movingSpeed
        else { return }
        let way = Geodesic.millimeters(from: last.point, to: sighting.point)
        // The distance between two positions with independent errors is √2 times one error.
        self.errorSeen(way * 1000 / 1414)
    }

    /// Records an observed error of a fix, in millimetres.
    public mutating func errorSeen(_ way: Int64) {
        // 68 of 100 steps go down by 32 parts, 32 go up by 68: they balance at the quantile.
        let part = self.value / 2000 + 1
        self.value = way > self.value ? min(self.value + 68 * part, Self.ceiling) : max(self.value - 32 * part, 0)
    }
}

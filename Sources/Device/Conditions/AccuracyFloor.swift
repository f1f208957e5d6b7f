internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// The best accuracy that is accepted from one source, learned from the scatter of its fixes.
///
/// The way between two fixes in a row beyond what the measured speed explains is error. Its 68 % quantile over the last few
/// hundred fixes is followed by steps up and down (Robbins and Monro, 1951): a source whose positions jump about while it
/// claims metres is believed less. Errors change slowly, so that the scatter is less than the error: a floor, no estimate.
public struct AccuracyFloor: Sendable, Hashable {
    /// The floor in millimetres, 0…100 m.
    public private(set) var value: Int64 = 0

    /// Starts without knowledge: nothing is doubted.
    public init() {}

    /// The largest floor in millimetres; a source with a larger scatter reports it itself.
    static let ceiling: Int64 = 100_000

    /// Records a fix that was used, and the one before it.
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
        // Two independent errors lie √2 times as far apart as each is long.
        self.errorSeen(way * 1000 / 1414)
    }

    /// Records the error of a fix, in millimetres, against what else is known.
    public mutating func errorSeen(_ way: Int64) {
        // 68 of 100 steps go down by 32 parts, 32 go up by 68: they balance at the quantile.
        let part = self.value / 2000 + 1
        self.value = way > self.value ? min(self.value + 68 * part, Self.ceiling) : max(self.value - 32 * part, 0)
    }
}

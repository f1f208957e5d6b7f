internal import WhereaboutsGeodesy

/// Compares the distance between two fixes some seconds apart with their accuracies.
///
/// Fixes with independent errors lie √2 σ apart along each axis. Slowly changing errors keep the fixes closer together: the missing share
/// of the distance is the errors' correlation. Fixes that lie further apart than independent ones are less accurate than reported.
struct Scatter: Sendable, Hashable {
    /// The mean squared distance, divided by that of independent fixes.
    ///
    /// The initial value is a thirtieth, as for errors that change over five minutes: independence must be measured first.
    private var ratio = 1.0 / 30

    /// Records two fixes of a device that did not move.
    mutating func measured(from first: Sighting, to second: Sighting) {
        let way = Double(Geodesic.millimeters(from: first.point, to: second.point))
        let ratio = way * way / (2 * (first.variance + second.variance))
        // A single jump must not outweigh many normal fixes.
        self.ratio += (min(ratio, 4 * self.excess) - self.ratio) / 8
    }

    /// The worth of a further fix, 0…1 of an independent one: (1 − ρ) / (1 + ρ), from the variance of a mean of fixes
    /// whose successive errors have the correlation ρ.
    var independence: Double {
        let missing = 1 - min(self.ratio, 1)
        return (1 - missing) / (1 + missing)
    }

    /// The factor by which the fixes' variances exceed the reported ones, at least 1.
    var excess: Double { max(self.ratio, 1) }
}

internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// The average of the fixes of a device that does not move, and how many independent fixes it is worth.
///
/// The errors of successive fixes are nearly equal, so ten of them contain less than ten times the information. The
/// average therefore counts *witnesses*: a fix that arrives ``BeliefPolicy/witnessSpacing`` after the last witness adds
/// (1 − ρ) / (1 + ρ), where ρ is the correlation that ``Scatter`` measures. All arithmetic consists of single IEEE 754
/// operations, which give the same bits everywhere.
struct PositionAverage: Sendable, Hashable {
    /// When the first fix was measured.
    let began: EngineInstant
    /// How many fixes the average contains.
    private(set) var count: Int
    /// How many independent fixes the average is worth, at least 1.
    private(set) var witnesses = 1.0
    // Degrees × 10⁷. The longitude may leave ±180°.
    private var latitude: Double
    private var longitude: Double
    /// The sum of the weights, in mm⁻²: the weight of a fix is its share of a spacing, divided by σ².
    private var information: Double
    /// The sum of the shares.
    private var spacings = 1.0
    private var last: Sighting
    private var lastWitness: Sighting

    /// Begins with a fix, which counts as two if earlier fixes confirm it.
    init(_ sighting: Sighting, isConfirmed: Bool = false) {
        self.count = isConfirmed ? 2 : 1
        self.began = sighting.measured
        self.latitude = Double(sighting.point.latitude)
        self.longitude = Double(sighting.point.longitude)
        self.information = 1 / sighting.variance
        self.last = sighting
        self.lastWitness = sighting
    }

    var point: QuantizedCoordinate {
        let longitude = Int(self.longitude.rounded())
        return QuantizedCoordinate(latitude: Int(self.latitude.rounded()), longitude: Int(Self.wrapped(longitude)))
    }

    /// The mean variance of the averaged fixes along each axis, in mm².
    var fixVariance: Double { self.spacings / self.information }

    /// Adds a fix that was measured later.
    ///
    /// - Parameters:
    ///   - sighting: the fix.
    ///   - scatter: the measured correlation of fixes.
    ///   - learns: whether the fix updates the correlation; false while it is unknown whether the device moved.
    ///   - policy: the numbers.
    mutating func add(_ sighting: Sighting, scatter: inout Scatter, learns: Bool, policy: BeliefPolicy) {
        let elapsed = min(self.last.measured.duration(to: sighting.measured), policy.witnessSpacing)
        let share = elapsed / policy.witnessSpacing
        let weight = share / sighting.variance
        self.information += weight
        self.spacings += share
        let east = Self.wrapped(Int((Double(sighting.point.longitude) - self.longitude).rounded()))
        self.latitude += (Double(sighting.point.latitude) - self.latitude) * weight / self.information
        self.longitude += Double(east) * weight / self.information
        self.last = sighting
        if self.lastWitness.measured.duration(to: sighting.measured) >= policy.witnessSpacing {
            if learns { scatter.measured(from: self.lastWitness, to: sighting) }
            self.lastWitness = sighting
            self.witnesses += scatter.independence
            self.forget(beyond: policy.witnessesMax)
        }
        if self.began.duration(to: sighting.measured) >= policy.agreementSpacing { self.count += 1 }
    }

    /// Lets old fixes fade, so that the average follows a slow, unnoticed movement.
    private mutating func forget(beyond most: Int) {
        guard self.witnesses > Double(most) else { return }
        let kept = Double(most) / self.witnesses
        self.information *= kept
        self.spacings *= kept
        self.witnesses = Double(most)
    }

    /// Returns a difference of longitudes as the shorter way around the Earth.
    private static func wrapped(_ units: Int) -> Int {
        if units >= 1_800_000_000 { return units - 3_600_000_000 }
        return units < -1_800_000_000 ? units + 3_600_000_000 : units
    }
}

extension Sighting {
    /// The variance along each axis, in mm².
    var variance: Double { Double(self.sigma) * Double(self.sigma) }
}

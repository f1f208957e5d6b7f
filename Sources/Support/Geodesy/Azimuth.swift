/// A direction as its sine and cosine, the paper's α; unlike an angle, it needs no rounding.
struct Azimuth {
    var sine: Double
    var cosine: Double

    init(sine: Double, cosine: Double) {
        self.sine = sine
        self.cosine = cosine
    }

    /// The direction of an angle in radians.
    init(radians: Double) {
        self.init(sine: WhereaboutsGeodesy.sine(radians), cosine: WhereaboutsGeodesy.cosine(radians))
    }

    /// The direction (phase) of a complex number, the paper's ph(x + iy).
    init(phaseOf real: Double, _ imaginary: Double) {
        let norm = (real * real + imaginary * imaginary).squareRoot()
        self.init(sine: imaginary / norm, cosine: real / norm)
    }

    /// The direction of an angle in degrees; exact at multiples of 90°.
    ///
    /// `lost` is a part of the angle that is too small to change `degrees` when it is added.
    init(degrees: Double, lost: Double = 0) {
        let reduced = degrees.reducedDegrees
        let quadrant = (reduced / 90).rounded()
        let rest = Azimuth(radians: (reduced - 90 * quadrant + lost) * (.pi / 180))
        let (sine, cosine) = (rest.sine, rest.cosine)
        switch Int(quadrant) & 3 {
        case 0: self.init(sine: sine, cosine: cosine)
        case 1: self.init(sine: cosine, cosine: -sine)
        case 2: self.init(sine: -sine, cosine: -cosine)
        default: self.init(sine: -cosine, cosine: sine)
        }
    }

    /// The angle in degrees, −180…180.
    ///
    /// The arc tangent is computed below 45°, where it is most accurate; the rest is exact.
    var degrees: Double {
        let (small, large) = (min(abs(self.sine), abs(self.cosine)), max(abs(self.sine), abs(self.cosine)))
        var angle = arcTangent(y: small, x: large) * (180 / .pi)
        if abs(self.sine) > abs(self.cosine) { angle = 90 - angle }
        if self.cosine < 0 { angle = 180 - angle }
        return self.sine < 0 ? -angle : angle
    }

    /// The angle in radians, −π…π.
    var radians: Double { arcTangent(y: self.sine, x: self.cosine) }

    /// Returns the difference of two directions.
    func minus(_ other: Azimuth) -> Azimuth {
        Azimuth(
            sine: self.sine * other.cosine - self.cosine * other.sine,
            cosine: self.cosine * other.cosine + self.sine * other.sine
        )
    }

    /// Returns the sum of two directions.
    func plus(_ other: Azimuth) -> Azimuth {
        Azimuth(
            sine: self.sine * other.cosine + self.cosine * other.sine,
            cosine: self.cosine * other.cosine - self.sine * other.sine
        )
    }
}

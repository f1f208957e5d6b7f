/// A geodesic from a point in a direction, whose points at any distance can be computed (the direct problem); section 3
/// of the paper.
///
/// Every quantity that does not depend on the distance is computed once.
public struct GeodesicLine: Sendable {
    private let longitude: Double
    private let sineAlpha0, cosineAlpha0: Double
    private let sigma1, omega1, tau1: Azimuth
    /// The metres on the Earth for a radian of the auxiliary sphere.
    private let scale: Double
    private let b11: Double
    private let c1Reverse, c3: SineSeries
    /// f A₃ sin α₀, and the sum of the C₃ series at the start.
    private let a3, b31: Double

    /// Creates a path.
    ///
    /// - Parameters:
    ///   - start: the first point of the path.
    ///   - azimuth: the direction at the start, in degrees clockwise from north; finite.
    public init(from start: GeodeticCoordinate, azimuth: Double) {
        precondition(azimuth.isFinite, "an azimuth must be finite, got \(azimuth)°")
        let alpha1 = Azimuth(degrees: azimuth)
        let beta1 = Geodesic.reducedLatitude(start)
        self.longitude = start.longitude
        // Equations (5) and (10): the azimuth at the equator.
        self.sineAlpha0 = alpha1.sine * beta1.cosine
        self.cosineAlpha0 = hypotenuse(alpha1.cosine, alpha1.sine * beta1.sine)
        // (11) and (12); at the equator heading along it, σ is 0.
        let isOnEquator = beta1.sine == 0 && alpha1.cosine == 0
        self.sigma1 =
            isOnEquator
            ? Azimuth(sine: 0, cosine: 1) : Azimuth(phaseOf: alpha1.cosine * beta1.cosine, beta1.sine)
        self.omega1 =
            isOnEquator ? self.sigma1 : Azimuth(phaseOf: self.sigma1.cosine, self.sineAlpha0 * self.sigma1.sine)
        let epsilon = Ellipsoid.epsilon(kSquared: Ellipsoid.ep2 * self.cosineAlpha0 * self.cosineAlpha0)

        // The parts of (7), (20) and (8) that depend only on the start.
        self.scale = Ellipsoid.b * (1 + GeodesicSeries.a1minus1(epsilon))
        self.b11 = GeodesicSeries.c1(epsilon).sum(self.sigma1)
        self.tau1 = self.sigma1.plus(Azimuth(radians: self.b11))
        self.c1Reverse = GeodesicSeries.c1Reverse(epsilon)
        self.c3 = GeodesicSeries.c3(epsilon)
        self.a3 = Ellipsoid.f * self.sineAlpha0 * GeodesicSeries.a3(epsilon)
        self.b31 = self.c3.sum(self.sigma1)
    }

    /// Returns the point at a distance.
    ///
    /// - Parameter distance: the distance along the path; a negative distance goes backwards.
    /// - Returns: the point, and the direction of travel there.
    public func arrival(after distance: Meters) -> Geodesic.Arrival {
        // (7) and (20): from distance to arc.
        let tau12 = distance.value / self.scale
        let tau2 = self.tau1.plus(Azimuth(radians: tau12))
        let sigma12 = tau12 + self.c1Reverse.sum(tau2) + self.b11
        let sigma2 = self.sigma1.plus(Azimuth(radians: sigma12))

        // Equations (13), (14) and (12) at the end point.
        let (sineAlpha0, cosineAlpha0) = (self.sineAlpha0, self.cosineAlpha0)
        let cosineBeta2 = hypotenuse(sineAlpha0, cosineAlpha0 * sigma2.cosine)
        let alpha2 =
            cosineBeta2 == 0
            ? Azimuth(sine: 0, cosine: 1) : Azimuth(sine: sineAlpha0, cosine: cosineAlpha0 * sigma2.cosine)
        let omega2 = Azimuth(sine: sineAlpha0 * sigma2.sine, cosine: sigma2.cosine)
        let phi2 = Azimuth(sine: cosineAlpha0 * sigma2.sine, cosine: (1 - Ellipsoid.f) * cosineBeta2)

        // (8): from ω to λ.
        let correction = self.a3 * (sigma12 + self.c3.sum(sigma2) - self.b31)
        let lambda12 = (omega2.minus(self.omega1).radians - correction) * (180 / .pi)
        return Geodesic.Arrival(
            point: GeodeticCoordinate(
                max(-90, min(90, phi2.degrees)),
                (self.longitude + lambda12.reducedDegrees).reducedDegrees
            ),
            azimuth: alpha2.degrees
        )
    }
}

internal import RealModule

/// The direct problem: a path from a point in a direction; section 3 of the paper.
struct DirectProblem {
    private let start: GeodeticCoordinate
    private let beta1, alpha1: Azimuth

    init(_ start: GeodeticCoordinate, _ alpha1: Azimuth) {
        self.start = start
        self.alpha1 = alpha1
        self.beta1 = Geodesic.reducedLatitude(start)
    }

    func solve(distance: Double) -> Geodesic.Arrival {
        let (alpha1, beta1) = (self.alpha1, self.beta1)
        // Equations (5) and (10): the azimuth at the equator.
        let sineAlpha0 = alpha1.sine * beta1.cosine
        let cosineAlpha0 = hypotenuse(alpha1.cosine, alpha1.sine * beta1.sine)
        // (11) and (12); at the equator heading along it, σ is 0.
        let isOnEquator = beta1.sine == 0 && alpha1.cosine == 0
        let sigma1 =
            isOnEquator
            ? Azimuth(sine: 0, cosine: 1) : Azimuth(phaseOf: alpha1.cosine * beta1.cosine, beta1.sine)
        let omega1 = isOnEquator ? sigma1 : Azimuth(phaseOf: sigma1.cosine, sineAlpha0 * sigma1.sine)
        let epsilon = Ellipsoid.epsilon(kSquared: Ellipsoid.ep2 * cosineAlpha0 * cosineAlpha0)

        // (7) and (20): from distance to arc.
        let tau12 = distance / (Ellipsoid.b * (1 + GeodesicSeries.a1minus1(epsilon)))
        let b11 = GeodesicSeries.c1(epsilon).sum(sigma1)
        let tau1 = sigma1.plus(Azimuth(sine: Double.sin(b11), cosine: Double.cos(b11)))
        let tau2 = tau1.plus(Azimuth(sine: Double.sin(tau12), cosine: Double.cos(tau12)))
        let sigma12 = tau12 + GeodesicSeries.c1Reverse(epsilon).sum(tau2) + b11
        let sigma2 = sigma1.plus(Azimuth(sine: Double.sin(sigma12), cosine: Double.cos(sigma12)))

        // (13), (14) and (12) at the end.
        let cosineBeta2 = hypotenuse(sineAlpha0, cosineAlpha0 * sigma2.cosine)
        let alpha2 =
            cosineBeta2 == 0
            ? Azimuth(sine: 0, cosine: 1) : Azimuth(sine: sineAlpha0, cosine: cosineAlpha0 * sigma2.cosine)
        let omega2 = Azimuth(sine: sineAlpha0 * sigma2.sine, cosine: sigma2.cosine)
        let phi2 = Azimuth(sine: cosineAlpha0 * sigma2.sine, cosine: (1 - Ellipsoid.f) * cosineBeta2)

        // (8): from ω to λ.
        let c3 = GeodesicSeries.c3(epsilon)
        let correction =
            Ellipsoid.f * sineAlpha0 * GeodesicSeries.a3(epsilon) * (sigma12 + c3.sum(sigma2) - c3.sum(sigma1))
        let lambda12 = (omega2.minus(omega1).radians - correction) * (180 / .pi)
        let longitude = (self.start.longitude + lambda12.remainder(dividingBy: 360)).remainder(dividingBy: 360)
        return Geodesic.Arrival(
            point: GeodeticCoordinate(max(-90, min(90, phi2.degrees)), longitude),
            azimuth: alpha2.degrees
        )
    }
}

/// √(x² + y²); the values here are far from overflow and underflow matters nowhere.
@inline(__always)
func hypotenuse(_ x: Double, _ y: Double) -> Double {
    (x * x + y * y).squareRoot()
}

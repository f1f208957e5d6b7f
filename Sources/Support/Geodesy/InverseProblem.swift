/// The inverse problem: the shortest path between two points; sections 4 and 5 of the paper.
///
/// The points are reflected and exchanged until β₁ ≤ 0, |β₂| ≤ |β₁| and 0 ≤ λ₁₂ ≤ π (equation 44). Meridians and the
/// equator are solved directly, and short lines on a sphere. Otherwise Newton's method, inside a bracket, finds the α₁
/// for which λ₁₂(α₁; β₁, β₂) = λ₁₂.
struct InverseProblem {
    /// A path, with its directions as sines and cosines.
    struct Solution {
        var distance: Double
        var alpha1: Azimuth
        var alpha2: Azimuth
    }

    /// Below this arc (0.2 m) a sphere is accurate enough: its error is less than f σ³.
    private static let shortArc = 3e-8
    /// Newton's method takes 2 or 3 steps, up to 8 near antipodes; bisection alone would take 53.
    private static let stepsMax = 80

    private let beta1: Azimuth
    private let beta2: Azimuth
    /// λ₁₂ as a direction and in radians.
    private let lambda: Azimuth
    private let lambda12: Double
    private let isExchanged: Bool
    /// The signs by which to multiply sines and cosines of azimuths, to undo the reflections.
    private let sineSign: Double
    private let cosineSign: Double

    init(_ from: GeodeticCoordinate, _ to: GeodeticCoordinate) {
        var (east, lost) = Self.difference(to.longitude, from.longitude)
        east = east.reducedDegrees
        // 180° and −180° are the same direction; the sign of the rounding error selects one of them.
        if abs(east) == 180 { east = lost > 0 ? -180 : 180 }
        let isWestward = east < 0 || (east == 0 && lost < 0)
        if isWestward { (east, lost) = (-east, -lost) }
        self.lambda = Azimuth(degrees: east, lost: lost)
        self.lambda12 = (east + lost) * (.pi / 180)

        let isExchanged = abs(from.latitude) < abs(to.latitude)
        let (first, second) = isExchanged ? (to, from) : (from, to)
        let isNorthern = first.latitude > 0
        self.isExchanged = isExchanged
        // Exchanging the points reverses the path, which also swaps east and west.
        self.sineSign = isWestward ? -1 : 1
        self.cosineSign = isNorthern != isExchanged ? -1 : 1
        var (beta1, beta2) = (Geodesic.reducedLatitude(first), Geodesic.reducedLatitude(second))
        if isNorthern {
            beta1.sine = -beta1.sine
            beta2.sine = -beta2.sine
        }
        // Use the sine near the equator and the cosine near a pole, and derive the other one.
        if beta1.cosine >= -beta1.sine {
            if abs(beta2.sine) == -beta1.sine { beta2.cosine = beta1.cosine }
        } else if beta2.cosine == beta1.cosine {
            beta2.sine = beta2.sine < 0 ? beta1.sine : -beta1.sine
        }
        self.beta1 = beta1
        self.beta2 = beta2
    }

    /// Returns the rounded difference of two numbers, and the rounding error (Knuth's two-sum).
    private static func difference(_ x: Double, _ y: Double) -> (rounded: Double, lost: Double) {
        let rounded = x - y
        let part = rounded + y
        return (rounded, (x - part) - (y - (part - rounded)))
    }

    func solve() -> Solution {
        var solution = self.solveReflected()
        if self.isExchanged { swap(&solution.alpha1, &solution.alpha2) }
        solution.alpha1 = self.unreflected(solution.alpha1)
        solution.alpha2 = self.unreflected(solution.alpha2)
        return solution
    }

    private func unreflected(_ alpha: Azimuth) -> Azimuth {
        // Adding 0 turns −0 into 0, so that north is 0° and never −0°.
        Azimuth(sine: alpha.sine * self.sineSign + 0, cosine: alpha.cosine * self.cosineSign)
    }

    private func solveReflected() -> Solution {
        let isPolar = self.beta1.cosine < 1e-100
        if self.lambda.sine == 0 || isPolar { return self.meridian() }
        if self.beta1.sine == 0, self.lambda12 <= (1 - Ellipsoid.f) * .pi {
            let east = Azimuth(sine: 1, cosine: 0)
            return Solution(distance: Ellipsoid.a * self.lambda12, alpha1: east, alpha2: east)
        }
        switch self.start() {
        case .short(let solution): return solution
        case .azimuth(let alpha1): return self.solve(from: alpha1)
        }
    }

    /// On an oblate ellipsoid, a meridian is always the shortest path, even across the south pole, as here.
    private func meridian() -> Solution {
        let alpha1 = self.lambda
        let alpha2 = Azimuth(sine: 0, cosine: 1)
        let line = Line(
            alpha2: alpha2,
            sineAlpha0: 0,
            sigma1: Azimuth(phaseOf: alpha1.cosine * self.beta1.cosine, self.beta1.sine),
            sigma2: Azimuth(phaseOf: self.beta2.cosine, self.beta2.sine),
            epsilon: Ellipsoid.n
        )
        return Solution(distance: line.distance, alpha1: alpha1, alpha2: alpha2)
    }

    // MARK: Where Newton's method starts

    private enum Start {
        case short(Solution)
        case azimuth(Azimuth)
    }

    private func start() -> Start {
        let (beta1, beta2) = (self.beta1, self.beta2)
        // Equation (48): a sphere with the radius at the mean latitude.
        let mean = (beta1.cosine + beta2.cosine) / 2
        let scale = (1 - Ellipsoid.e2 * mean * mean).squareRoot()
        let omega12 = self.lambda12 / scale
        let omega =
            omega12 < .pi ? Azimuth(radians: omega12) : self.lambda

        // (49) to (51); 1 − cos ω is written in a form without cancellation for short lines.
        let sineBeta12 = beta2.sine * beta1.cosine - beta2.cosine * beta1.sine
        let versine = omega.cosine > 0 ? omega.sine * omega.sine / (1 + omega.cosine) : 1 - omega.cosine
        let real1 = sineBeta12 + beta2.cosine * beta1.sine * versine
        let imaginary1 = beta2.cosine * omega.sine
        let arcSine = hypotenuse(real1, imaginary1)
        let arcCosine = beta1.sine * beta2.sine + beta1.cosine * beta2.cosine * omega.cosine
        let alpha1 = Azimuth(sine: imaginary1 / arcSine, cosine: real1 / arcSine)
        if arcCosine > 0, arcSine < Self.shortArc {
            let north = Azimuth(sine: 0, cosine: 1)
            guard arcSine > 0 else { return .short(Solution(distance: 0, alpha1: north, alpha2: north)) }
            let alpha2 = Azimuth(
                phaseOf: sineBeta12 - beta1.cosine * beta2.sine * versine,
                beta1.cosine * omega.sine
            )
            return .short(Solution(distance: Ellipsoid.a * scale * arcSine, alpha1: alpha1, alpha2: alpha2))
        }
        let antipodalRegion = 3 * .pi * Ellipsoid.f * beta1.cosine * beta1.cosine
        guard arcCosine < 0, arcSine < antipodalRegion else { return .azimuth(alpha1) }
        return .azimuth(self.antipodalStart())
    }

    /// Equations (53) to (57): near antipodes the geodesics form an astroid, and μ gives the start direction.
    private func antipodalStart() -> Azimuth {
        let (beta1, beta2) = (self.beta1, self.beta2)
        let kSquared = Ellipsoid.ep2 * beta1.sine * beta1.sine
        let unit =
            Ellipsoid.f * .pi * GeodesicSeries.a3(Ellipsoid.epsilon(kSquared: kSquared)) * beta1.cosine
        let x = -arcTangent(y: self.lambda.sine, x: -self.lambda.cosine) / unit
        let y = (beta1.sine * beta2.cosine + beta1.cosine * beta2.sine) / (unit * beta1.cosine)
        guard y < -1e-12 else {
            return x < -1
                ? Azimuth(sine: 1, cosine: 0) : Azimuth(sine: -x, cosine: -(1 - x * x).squareRoot())
        }
        // x² / (1 + μ)² + y² / μ² = 1 is (55) divided by μ² (1 + μ)². For μ > 0 its left side falls and is convex, so
        // Newton's method climbs to the root from any point below it.
        var mu = max(-y, -x - 1)
        for _ in 0..<20 {
            let (u, v) = (x / (1 + mu), y / mu)
            let excess = u * u + v * v - 1
            let slope = 2 * (u * u / (1 + mu) + v * v / mu)
            mu += excess / slope
            if excess < 1e-6 { break }
        }
        return Azimuth(phaseOf: y / mu, -x / (1 + mu))
    }

    // MARK: Newton's method

    private func solve(from start: Azimuth) -> Solution {
        var alpha1 = start
        alpha1.sine = max(alpha1.sine, 1e-150)
        var below = Azimuth(sine: 1e-150, cosine: 1)
        var above = Azimuth(sine: 1e-150, cosine: -1)
        var line = self.line(alpha1)
        var best = (alpha1: alpha1, line: line, excess: Double.infinity)
        for _ in 0..<Self.stepsMax {
            let excess = self.excess(of: line, alpha1)
            let previous = best.excess
            if abs(excess) < previous { best = (alpha1, line, abs(excess)) }
            // Stop when the excess is only a rounding error: tiny, and no longer shrinking.
            if best.excess <= 2 * .ulpOfOne || (best.excess < 1e-12 && best.excess > previous / 2) { break }
            // λ₁₂ grows with α₁.
            if excess > 0 { above = alpha1 } else { below = alpha1 }
            let change = -excess / self.slope(of: line)
            let next = alpha1.plus(Azimuth(phaseOf: 1, tangent(max(-1.5, min(1.5, change)))))
            let isInside = next.minus(below).sine > 0 && above.minus(next).sine > 0
            // Newton's method may leave the bracket near antipodes; then halve the bracket instead.
            alpha1 =
                isInside ? next : Azimuth(phaseOf: below.cosine + above.cosine, below.sine + above.sine)
            line = self.line(alpha1)
        }
        return Solution(distance: best.line.distance, alpha1: best.alpha1, alpha2: best.line.alpha2)
    }

    /// The geodesic that starts in the direction α₁ and reaches β₂ going north; equations (5), (10) to (12), (45).
    private func line(_ alpha1: Azimuth) -> Line {
        let (beta1, beta2) = (self.beta1, self.beta2)
        let sineAlpha0 = alpha1.sine * beta1.cosine
        let projected = alpha1.cosine * beta1.cosine
        let cosineAlpha0 = hypotenuse(alpha1.cosine, alpha1.sine * beta1.sine)
        let alpha2: Azimuth
        if abs(beta2.sine) == -beta1.sine {
            alpha2 = Azimuth(sine: alpha1.sine, cosine: abs(alpha1.cosine))
        } else {
            // Compute cos² β₂ − cos² β₁ from the smaller values, which are more accurate.
            let difference =
                beta1.cosine < -beta1.sine
                ? (beta2.cosine - beta1.cosine) * (beta1.cosine + beta2.cosine)
                : (beta1.sine - beta2.sine) * (beta1.sine + beta2.sine)
            alpha2 = Azimuth(
                sine: sineAlpha0 / beta2.cosine,
                cosine: max(0, projected * projected + difference).squareRoot() / beta2.cosine
            )
        }
        return Line(
            alpha2: alpha2,
            sineAlpha0: sineAlpha0,
            sigma1: Azimuth(phaseOf: projected, beta1.sine),
            sigma2: Azimuth(phaseOf: alpha2.cosine * beta2.cosine, beta2.sine),
            epsilon: Ellipsoid.epsilon(kSquared: Ellipsoid.ep2 * cosineAlpha0 * cosineAlpha0)
        )
    }

    /// By how much the difference of longitude along `line` exceeds λ₁₂, in radians; equations (8) and (23).
    private func excess(of line: Line, _ alpha1: Azimuth) -> Double {
        let omega1 = Azimuth(phaseOf: line.sigma1.cosine, line.sineAlpha0 * line.sigma1.sine)
        let omega2 = Azimuth(phaseOf: line.sigma2.cosine, line.sineAlpha0 * line.sigma2.sine)
        var omega12 = omega2.minus(omega1)
        omega12.sine = max(0, omega12.sine) + 0
        let c3 = GeodesicSeries.c3(line.epsilon)
        let correction =
            GeodesicSeries.a3(line.epsilon) * (line.sigma12 + c3.sum(line.sigma2) - c3.sum(line.sigma1))
        return omega12.minus(self.lambda).radians - Ellipsoid.f * line.sineAlpha0 * correction
    }

    /// dλ₁₂/dα₁, equation (46).
    private func slope(of line: Line) -> Double {
        guard line.alpha2.cosine > 0 else {
            let cosine = self.beta1.cosine
            return -2 * (1 - Ellipsoid.e2 * cosine * cosine).squareRoot() / self.beta1.sine
        }
        return line.reducedLength(self.beta1, self.beta2) * (1 - Ellipsoid.f)
            / (line.alpha2.cosine * self.beta2.cosine)
    }
}

/// A geodesic between two points on the auxiliary sphere.
private struct Line {
    let alpha2: Azimuth
    let sineAlpha0: Double
    let sigma1: Azimuth
    let sigma2: Azimuth
    let epsilon: Double
    /// σ₁₂ in radians, 0…π.
    let sigma12: Double

    init(alpha2: Azimuth, sineAlpha0: Double, sigma1: Azimuth, sigma2: Azimuth, epsilon: Double) {
        self.alpha2 = alpha2
        self.sineAlpha0 = sineAlpha0
        self.sigma1 = sigma1
        self.sigma2 = sigma2
        self.epsilon = epsilon
        var arc = sigma2.minus(sigma1)
        // Adding 0 turns −0 into 0, so that half a turn is π and never −π.
        arc.sine = max(0, arc.sine) + 0
        self.sigma12 = arc.radians
    }

    /// s₁₂ in metres, equation (7).
    var distance: Double {
        let c1 = GeodesicSeries.c1(self.epsilon)
        return Ellipsoid.b * (1 + GeodesicSeries.a1minus1(self.epsilon))
            * (self.sigma12 + (c1.sum(self.sigma2) - c1.sum(self.sigma1)))
    }

    /// m₁₂ / b, equations (38) to (40).
    func reducedLength(_ beta1: Azimuth, _ beta2: Azimuth) -> Double {
        let (a1, a2) = (GeodesicSeries.a1minus1(self.epsilon), GeodesicSeries.a2minus1(self.epsilon))
        let (c1, c2) = (GeodesicSeries.c1(self.epsilon), GeodesicSeries.c2(self.epsilon))
        let j12 =
            (a1 - a2) * self.sigma12
            + (1 + a1) * (c1.sum(self.sigma2) - c1.sum(self.sigma1))
            - (1 + a2) * (c2.sum(self.sigma2) - c2.sum(self.sigma1))
        // k² sin² σ is e′² sin² β.
        let root1 = (1 + Ellipsoid.ep2 * beta1.sine * beta1.sine).squareRoot()
        let root2 = (1 + Ellipsoid.ep2 * beta2.sine * beta2.sine).squareRoot()
        return root2 * self.sigma1.cosine * self.sigma2.sine - root1 * self.sigma1.sine * self.sigma2.cosine
            - self.sigma1.cosine * self.sigma2.cosine * j12
    }
}

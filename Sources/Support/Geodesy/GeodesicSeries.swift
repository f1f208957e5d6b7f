/// A sum Σ c_l sin 2lσ of at most six terms.
struct SineSeries {
    var c1 = 0.0
    var c2 = 0.0
    var c3 = 0.0
    var c4 = 0.0
    var c5 = 0.0
    var c6 = 0.0

    /// The sum, by Clenshaw's recurrence.
    @inline(__always)
    func sum(_ sigma: Azimuth) -> Double {
        // 2 cos 2σ
        let step = 2 * (sigma.cosine - sigma.sine) * (sigma.cosine + sigma.sine)
        let b6 = self.c6
        let b5 = step * b6 + self.c5
        let b4 = step * b5 - b6 + self.c4
        let b3 = step * b4 - b5 + self.c3
        let b2 = step * b3 - b4 + self.c2
        let b1 = step * b2 - b3 + self.c1
        // sin 2σ
        return 2 * sigma.sine * sigma.cosine * b1
    }
}

/// The expansions of Karney (2013) to sixth order in ε and, for I₃, in the third flattening n.
///
/// Equation numbers are the paper's.
///
/// An integral is A (σ + Σ C_l sin 2lσ).
enum GeodesicSeries {
    /// A₁ − 1, equation (17): distance.
    static func a1minus1(_ e: Double) -> Double {
        let e2 = e * e
        return (e + e2 * (1 / 4 + e2 * (1 / 64 + e2 / 256))) / (1 - e)
    }

    /// C₁ₗ, equation (18).
    static func c1(_ e: Double) -> SineSeries {
        let e2 = e * e
        var power = e
        var series = SineSeries()
        series.c1 = power * (-1 / 2 + e2 * (3 / 16 - e2 / 32))
        power *= e
        series.c2 = power * (-1 / 16 + e2 * (1 / 32 - e2 * 9 / 2048))
        power *= e
        series.c3 = power * (-1 / 48 + e2 * 3 / 256)
        power *= e
        series.c4 = power * (-5 / 512 + e2 * 3 / 512)
        power *= e
        series.c5 = power * (-7 / 1280)
        power *= e
        series.c6 = power * (-7 / 2048)
        return series
    }

    /// C′₁ₗ, equation (21): the reverse of C₁, from distance to arc.
    static func c1Reverse(_ e: Double) -> SineSeries {
        let e2 = e * e
        var power = e
        var series = SineSeries()
        series.c1 = power * (1 / 2 + e2 * (-9 / 32 + e2 * 205 / 1536))
        power *= e
        series.c2 = power * (5 / 16 + e2 * (-37 / 96 + e2 * 1335 / 4096))
        power *= e
        series.c3 = power * (29 / 96 - e2 * 75 / 128)
        power *= e
        series.c4 = power * (539 / 1536 - e2 * 2391 / 2560)
        power *= e
        series.c5 = power * (3467 / 7680)
        power *= e
        series.c6 = power * (38081 / 61440)
        return series
    }

    /// A₂ − 1, equation (42): reduced length.
    static func a2minus1(_ e: Double) -> Double {
        let e2 = e * e
        let sum = e2 * (1 / 4 + e2 * (9 / 64 + e2 * 25 / 256))
        return sum - e - e * sum
    }

    /// C₂ₗ, equation (43).
    static func c2(_ e: Double) -> SineSeries {
        let e2 = e * e
        var power = e
        var series = SineSeries()
        series.c1 = power * (1 / 2 + e2 * (1 / 16 + e2 / 32))
        power *= e
        series.c2 = power * (3 / 16 + e2 * (1 / 32 + e2 * 35 / 2048))
        power *= e
        series.c3 = power * (5 / 48 + e2 * 5 / 256)
        power *= e
        series.c4 = power * (35 / 512 + e2 * 7 / 512)
        power *= e
        series.c5 = power * (63 / 1280)
        power *= e
        series.c6 = power * (77 / 2048)
        return series
    }

    /// A₃, equation (24): longitude.
    static func a3(_ e: Double) -> Double {
        let n = Ellipsoid.n
        let k5: Double = -3 / 128
        let k4 = -3 / 64 - n / 32
        let k3 = -1 / 16 - n * (3 / 16 + n / 16)
        let k2 = -1 / 4 - n * (1 / 8 - n * 3 / 8)
        let k1 = -1 / 2 + n / 2
        return 1 + e * (k1 + e * (k2 + e * (k3 + e * (k4 + e * k5))))
    }

    /// C₃ₗ, equation (25).
    static func c3(_ e: Double) -> SineSeries {
        let n = Ellipsoid.n
        var power = e
        var series = SineSeries()
        let c11 = 1 / 4 - n / 4
        let c12 = 1 / 8 - n * n / 8
        let c13 = 3 / 64 + n * (3 / 64 - n / 64)
        let c14 = 5 / 128 + n / 64
        series.c1 = power * (c11 + e * (c12 + e * (c13 + e * (c14 + e * 3 / 128))))
        power *= e
        let c22 = 1 / 16 - n * (3 / 32 - n / 32)
        let c23 = 3 / 64 - n * (1 / 32 + n * 3 / 64)
        let c24 = 3 / 128 + n / 128
        series.c2 = power * (c22 + e * (c23 + e * (c24 + e * 5 / 256)))
        power *= e
        let c33 = 5 / 192 - n * (3 / 64 - n * 5 / 192)
        let c34 = 3 / 128 - n * 5 / 192
        series.c3 = power * (c33 + e * (c34 + e * 7 / 512))
        power *= e
        series.c4 = power * (7 / 512 - n * 7 / 256 + e * 7 / 512)
        power *= e
        series.c5 = power * (21 / 2560)
        return series
    }
}

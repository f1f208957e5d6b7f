/// WGS-84 (NIMA TR8350.2, table 3.1), in the letters of Karney (2013), equations (1) and (2).
enum Ellipsoid {
    /// The equatorial radius in metres.
    @inline(__always) static var a: Double { 6_378_137 }
    @inline(__always) static var f: Double { 1 / 298.257223563 }
    /// The polar semi-axis in metres.
    @inline(__always) static var b: Double { self.a * (1 - self.f) }
    @inline(__always) static var n: Double { self.f / (2 - self.f) }
    /// The square of the eccentricity.
    @inline(__always) static var e2: Double { self.f * (2 - self.f) }
    /// The square of the second eccentricity.
    @inline(__always) static var ep2: Double { self.e2 / ((1 - self.f) * (1 - self.f)) }

    /// ε of equation (16), from k² = e′² cos² α₀.
    static func epsilon(kSquared: Double) -> Double {
        kSquared / (2 * (1 + (1 + kSquared).squareRoot()) + kSquared)
    }
}

/// The chance that the device is inside a circle, given one fix: two bounds, in thousandths.
///
/// A fix is a circular normal distribution with standard deviation σ around its point. Two models give the bounds. In
/// the first, the circle is a disc: a fix whose σ exceeds the disc is never surely inside. In the second, it is a
/// half-plane: such a fix is never surely outside. The device enters by the first and leaves by the second, so that a
/// bad fix changes nothing. Both agree for circles much wider than σ.
struct Chance: Sendable, Hashable {
    /// The chance for the disc: the device enters by it.
    let least: Int
    /// The chance for the half-plane: the device leaves by it.
    let most: Int

    /// Computes the chances.
    ///
    /// - Parameters:
    ///   - distance: from the centre to the fix, in millimetres.
    ///   - radius: of the circle, in millimetres.
    ///   - sigma: of the fix, in millimetres, at least 1.
    init(distance: Int64, radius: Int64, sigma: Int64) {
        // The mean distance of a Rice distribution is √(d² + σ²) within 1 % of σ. IEEE 754 rounds products and roots
        // the same way on every machine.
        let (way, spread) = (Double(distance), Double(sigma))
        let mean = Int64((way * way + spread * spread).squareRoot().rounded(.up))
        self.least = Self.normal((radius - mean) * 1000 / sigma)
        self.most = Self.normal((radius - distance) * 1000 / sigma)
    }

    /// Returns the distance in millimetres beyond which both chances are zero.
    static func reach(_ radius: Int64, sigma: Int64) -> Int64 { radius + sigma * Int64(Self.sigmasMost) / 1000 }

    /// The thousandths of σ at which the table ends.
    private static let sigmasMost = 4000

    /// The normal distribution's integral up to `sigmas` thousandths of σ, in thousandths.
    static func normal(_ sigmas: Int64) -> Int {
        let milli = Int(min(abs(sigmas), Int64(Self.sigmasMost)))
        let (step, rest) = (milli * 16).quotientAndRemainder(dividingBy: 1000)
        let low = Self.integrals[step]
        let high = Self.integrals[min(step + 1, Self.integrals.count - 1)]
        let upper = (low * 1000 + (high - low) * rest + 5000) / 10_000
        return sigmas < 0 ? 1000 - upper : upper
    }

    /// Φ(n/16) for n = 0…64, in ten-thousandths (Abramowitz and Stegun, table 26.1).
    private static let integrals = [
        5000, 5249, 5497, 5744, 5987, 6227, 6462, 6691, 6915, 7131, 7340, 7541, 7734, 7917, 8092, 8257, 8413, 8560,
        8697, 8825,
        8944, 9053, 9154, 9247, 9332, 9409, 9479, 9542, 9599, 9650, 9696, 9737, 9772, 9804, 9832, 9856, 9878, 9896,
        9912, 9926,
        9938, 9948, 9957, 9964, 9970, 9975, 9980, 9983, 9987, 9989, 9991, 9993, 9994, 9995, 9996, 9997, 9998, 9998,
        9999, 9999,
        9999, 9999, 9999, 10_000, 10_000,
    ]
}

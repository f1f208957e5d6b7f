internal import Foundation
internal import Testing

@testable import WhereaboutsConditions

/// Compares the probabilities with numerical integration.
@Suite struct ChanceTests {
    /// Both levels at every ratio of radius to σ: the disc's chance is right to 2 %, where it decides.
    @Test func theDiscIsRightWhereItDecides() {
        for radius in stride(from: 1_000 as Int64, through: 12_000, by: 500) {
            for distance in stride(from: 0 as Int64, through: 14_000, by: 500) {
                let chance = Chance(distance: distance, radius: radius, sigma: 1000)
                let exact = Self.disc(distance: Double(distance) / 1000, radius: Double(radius) / 1000)
                guard abs(exact - 0.75) < 0.1 else { continue }
                #expect(
                    abs(Double(chance.least) / 1000 - exact) < 0.03,
                    "radius \(radius), distance \(distance): \(exact)"
                )
            }
        }
    }

    @Test func theHalfPlaneEnclosesTheDisc() {
        for radius in stride(from: 100 as Int64, through: 20_000, by: 700) {
            for distance in stride(from: 0 as Int64, through: 30_000, by: 700) {
                let chance = Chance(distance: distance, radius: radius, sigma: 1000)
                #expect(chance.least <= chance.most)
            }
        }
    }

    @Test func aFixWorseThanItsCircleDecidesNothing() {
        let chance = Chance(distance: 0, radius: 30_000, sigma: 66_000)
        #expect(chance.least < 750 && chance.most > 250)
    }

    @Test func extremesDoNotOverflow() {
        let most = ConditionCircle.radiusMillimetersMax
        for sigma in [1, most] as [Int64] {
            for distance in [0, most] as [Int64] {
                let chance = Chance(distance: distance, radius: most, sigma: sigma)
                #expect((0...1000).contains(chance.least) && (0...1000).contains(chance.most))
            }
        }
    }

    @Test func theNormalIntegralIsMonotonicAndSymmetric() {
        var last = 0
        for sigmas in stride(from: -5000 as Int64, through: 5000, by: 10) {
            let value = Chance.normal(sigmas)
            #expect(value >= last && value + Chance.normal(-sigmas) == 1000)
            last = value
        }
        #expect(Chance.normal(-675) == 250 && Chance.normal(675) == 750)
    }

    /// Integrates a round normal distribution with σ = 1 over a disc, in strips.
    private static func disc(distance: Double, radius: Double) -> Double {
        let strips = 400
        let width = 2 * radius / Double(strips)
        return (0..<strips).reduce(0.0) { sum, strip in
            let across = -radius + (Double(strip) + 0.5) * width
            let half = (radius * radius - across * across).squareRoot()
            let chord = Self.phi(half) - Self.phi(-half)
            return sum + (Self.phi(across - distance + width / 2) - Self.phi(across - distance - width / 2)) * chord
        }
    }

    private static func phi(_ x: Double) -> Double { (1 + erf(x / 2.0.squareRoot())) / 2 }
}

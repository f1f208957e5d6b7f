internal import Testing

/// Tests for the noise that remains after filtering; `docs/receivers.md` has the figures.
@Suite struct EstimateTests {
    /// Goal: the estimator removes at least a fifth of the noise that differs from fix to fix, on foot and in a car,
    /// with and without a measured speed.
    @Test(arguments: EstimateStudy.Noise.all) func noiseIsTakenOut(noise: EstimateStudy.Noise) throws {
        for way in try FieldFigures.ways() {
            let outcome = EstimateStudy.run(way, noise, seed: 7)
            // No filter can remove an error that lasts for minutes. In a car's turns, the measured velocity is late.
            let most = noise.flicker == 0 ? 1.2 : noise.wander.sigma > noise.flicker ? 0.9 : 0.8
            #expect(outcome.ratio <= most, "\(way.name): \(outcome.ratio)")
            #expect(outcome.ours.share >= outcome.raw.share - 0.02, "\(way.name): \(outcome.ours.share)")
            #expect(outcome.given > 20 * outcome.refused, "\(way.name): \(outcome.refused)")
        }
    }

    /// Goal: for a device at rest, the estimate is never worse than the receiver's position.
    @Test(arguments: EstimateStudy.Noise.all, 1...3) func stillDevicesAreNoWorse(noise: EstimateStudy.Noise, seed: Int)
    {
        let outcome = EstimateStudy.run(EstimateStudy.still, noise, seed: UInt64(seed))
        #expect(outcome.ratio <= 1, "\(outcome.ratio)")
    }
}

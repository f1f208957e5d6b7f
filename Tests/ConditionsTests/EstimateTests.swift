internal import Testing

/// The rest of a receiver's noise; `docs/receivers.md` has the figures.
@Suite struct EstimateTests {
    /// Goal: noise that differs from fix to fix is taken out by a fifth at least, on foot and on wheels, with a measured speed and without.
    @Test(arguments: EstimateStudy.Noise.all) func noiseIsTakenOut(noise: EstimateStudy.Noise) throws {
        for way in try FieldFigures.ways() {
            let outcome = EstimateStudy.run(way, noise, seed: 7)
            // Nothing can be done about an error that stays for minutes; in a car's turns the velocity is late.
            let most = noise.flicker == 0 ? 1.2 : noise.wander.sigma > noise.flicker ? 0.9 : 0.8
            #expect(outcome.ratio <= most, "\(way.name): \(outcome.ratio)")
            #expect(outcome.ours.share >= outcome.raw.share - 0.02, "\(way.name): \(outcome.ours.share)")
            #expect(outcome.given > 20 * outcome.refused, "\(way.name): \(outcome.refused)")
        }
    }

    /// Goal: a device that stays where it is never has a worse position than its receiver says.
    @Test(arguments: EstimateStudy.Noise.all, 1...3) func stillDevicesAreNoWorse(noise: EstimateStudy.Noise, seed: Int)
    {
        let outcome = EstimateStudy.run(EstimateStudy.still, noise, seed: UInt64(seed))
        #expect(outcome.ratio <= 1, "\(outcome.ratio)")
    }
}

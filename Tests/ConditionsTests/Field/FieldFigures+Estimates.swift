internal import Foundation

extension FieldFigures {
    /// The ways that estimates are measured on; the recorded ones where there are some.
    static func ways() throws -> [Track] {
        let walk = Track.straight("walk", speed: 1.4)
        let ride = Track.straight("cycle", speed: 5)
        let recorded = try Recordings.isPresent ? Self.tracks.map { try Recordings.track($0) } : []
        return [EstimateStudy.still, walk, ride] + recorded
    }

    /// Writes the table of estimates into `docs/receivers.md`.
    static func writeEstimates(to page: URL) throws {
        let ways = try Self.ways()
        let rows = EstimateStudy.Noise.all.map { noise in
            [noise.name]
                + ways.map { way in
                    let outcome = EstimateStudy.run(way, noise, seed: 7)
                    return String(
                        format: "%.1f → %.1f m, %.2f; %.0f → %.0f %%",
                        outcome.raw.rms,
                        outcome.ours.rms,
                        outcome.ratio,
                        outcome.raw.share * 100,
                        outcome.ours.share * 100
                    )
                }
        }
        var text = try String(contentsOf: page, encoding: .utf8)
        try Self.replace("estimates", with: Self.table(["noise"] + ways.map(\.name), rows), in: &text)
        try text.write(to: page, atomically: true, encoding: .utf8)
    }
}

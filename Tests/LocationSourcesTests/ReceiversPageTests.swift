internal import Foundation
internal import Testing

@testable internal import WhereaboutsLocationSources

/// Goal: the table of `docs/receivers.md` equals the decoders' results for real receivers' logs.
///
/// The first columns are computed; the explanations behind them are written by hand.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence)) struct ReceiversPageTests {
    private static func page() throws -> [String] {
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/receivers.md")
        return try String(contentsOf: url, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    private static func fixes(_ name: String) throws -> [SourceFix] {
        var decoder = NMEADecoder()
        let events = decoder.feed(try Corpus.log(name)) + decoder.flush()
        return events.compactMap { if case .measured(.fix(let fix)) = $0 { fix } else { nil } }
    }

    /// Method: a fix and an answer are the same where they agree in time and place; of those, heights and speeds that differ
    /// by more than gpsd rounds are counted, and circles whose size does not follow from gpsd's by ``AccuracyModel``.
    @Test(arguments: Corpus.names) func theAnswersOfGPSDAreCompared(_ name: String) throws {
        let answers = try GPSDPosition.all(in: Corpus.answers(name))
        let fixes = try Self.fixes(name)
        let places = Set(answers.map { $0.time ?? -1 }).count
        let ours = fixes.count { fix in !answers.contains { $0.agrees(with: fix) } }
        let theirs = answers.count { answer in !fixes.contains { answer.agrees(with: $0) } }
        var (heights, speeds, circles, ellipsoids) = (0, 0, 0, 0)
        for fix in fixes {
            guard let time = fix.time, let answer = answers.last(where: { $0.time == time }) else { continue }
            func differs(_ ours: Double?, _ theirs: String, _ tolerance: Double) -> Bool {
                switch (ours, answer.number(theirs)) {
                case (let ours?, let theirs?): abs(ours - theirs) > tolerance
                case (nil, nil): false
                default: true
                }
            }
            heights += differs(fix.altitude, "altMSL", 0.002) ? 1 : 0
            ellipsoids += differs(fix.ellipsoidalAltitude, "altHAE", 0.002) ? 1 : 0
            speeds += differs(fix.speed, "speed", 0.002) ? 1 : 0
            let accuracy = fix.horizontalAccuracy < 0 ? nil : fix.horizontalAccuracy
            let isCorrected = answer.number("status") == 2
            circles += differs(accuracy.map { isCorrected ? $0 / 2.7 * 4.75 : $0 / 4 * 19 }, "eph", 0.05) ? 1 : 0
        }
        let row =
            "| \(name) | \(answers.count) of \(places) | \(fixes.count) | \(ours) | \(theirs) | \(heights) | \(ellipsoids) | "
            + "\(speeds) | \(circles) |"
        #expect(try Self.page().contains { $0.hasPrefix(row) }, "docs/receivers.md lacks: \(row)")
    }
}

internal import Foundation
internal import Testing

@testable import WhereaboutsLocationSources

/// Goal: on real receivers' logs, our decoders agree with gpsd's own answers.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence)) struct CorpusTests {
    private static func lines(_ name: String) throws -> [String] {
        try Corpus.answers(name).split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
    }

    private static func fixes(_ name: String) throws -> [SourceFix] {
        var decoder = NMEADecoder()
        let events = decoder.feed(try Corpus.log(name)) + decoder.flush()
        return events.compactMap { if case .measured(.fix(let fix)) = $0 { fix } else { nil } }
    }

    /// Method: each of our fixes must be a position of gpsd with the same time (1 ms) and place (1e-8°, which is 1 mm;
    /// gpsd prints nine decimals), and the other way round.
    ///
    /// Positions that either reports without a time, before it has seen a date, are compared by place alone. The share
    /// that matches is 135 of 138 fixes; the other three are epochs that the logs cut off before the receiver's last
    /// sentence (GLL or ZDA), for which gpsd waits, while we end the epoch with the file or with the next time of day.
    @Test(arguments: [
        ("bt451", 15, 2), ("haicom-305N", 68, 0), ("nl2008u", 9, 0), ("nmea-fuzzy-cases", 14, 0),
        ("quectel-eg25-g", 23, 0), ("ublox-lea-4h", 9, 1),
    ])
    func positionsAreThoseOfGPSD(name: String, count: Int, cutOff: Int) throws {
        let answers = try GPSDPosition.all(in: Corpus.answers(name))
        let fixes = try Self.fixes(name)
        #expect(fixes.count == count)
        let unmatched = fixes.filter { fix in !answers.contains { $0.agrees(with: fix) } }
        let missed = answers.filter { answer in !fixes.contains { answer.agrees(with: $0) } }
        #expect(unmatched.count == cutOff, "\(fixes.count - unmatched.count) of \(fixes.count) fixes match")
        #expect(missed.isEmpty, "\(answers.count - missed.count) of \(answers.count) answers match")
    }

    /// Method: the last report of each time contains the data of all sentences of the epoch.
    @Test(arguments: Corpus.names) func heightsSpeedsAndAccuraciesAreThoseOfGPSD(name: String) throws {
        let answers = try GPSDPosition.all(in: Corpus.answers(name))
        var compared = 0
        for fix in try Self.fixes(name) {
            guard let time = fix.time, let answer = answers.last(where: { $0.time == time }) else { continue }
            compared += 1
            if let altitude = answer.number("altMSL"), let ours = fix.altitude {
                #expect(abs(ours - altitude) < 0.001, "altitude at \(time)")
            }
            if let speed = answer.number("speed"), let ours = fix.speed {
                #expect(abs(ours - speed) < 0.001, "speed at \(time)")
            }
            if let eph = answer.number("eph") {
                // gpsd reports real-time kinematic fixes (status 3 and 4) as undifferenced ones.
                let isCorrected = answer.number("status").map { $0 >= 2 } ?? false
                let theirs = isCorrected && answer.number("status") == 2 ? 4.75 : 19
                let accuracy = eph / theirs * (isCorrected ? 2.7 : 4)
                #expect(abs(fix.horizontalAccuracy - accuracy) < 0.01, "accuracy at \(time)")
            }
        }
        #expect(compared > 0)
    }

    /// Method: gpsd's answer files hold sentences between the reports; to the decoder those are malformed lines, and
    /// nothing else is.
    @Test(arguments: Corpus.names) func gpsdReportsAreDecoded(name: String) throws {
        let file = try Corpus.answers(name)
        let lines = try Self.lines(name)
        let answers = try GPSDPosition.all(in: Corpus.answers(name))
        var decoder = GPSDDecoder()
        var fixes: [SourceFix] = []
        var (noFix, malformed) = (0, 0)
        for event in decoder.feed(file) {
            switch event {
            case .measured(.fix(let fix)): fixes.append(fix)
            case .noFix: noFix += 1
            case .malformed(let error):
                malformed += 1
                #expect(error.rule == .notAReport)
            default: Issue.record("unexpected event \(event)")
            }
        }
        #expect(malformed == lines.count { !$0.hasPrefix("{") })
        #expect(noFix == lines.count { $0.contains("\"TPV\"") } - answers.count)
        #expect(fixes.count == answers.count)
        for (fix, answer) in zip(fixes, answers) {
            #expect(fix.latitude == answer.number("lat") && fix.longitude == answer.number("lon"))
            #expect(fix.time == answer.time)
        }
    }
}

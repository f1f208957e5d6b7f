internal import Testing

@testable import WhereaboutsLocationSources

@Suite struct NMEADecoderTests {
    /// A sentence with its checksum and line end.
    static func sentence(_ body: String) -> String {
        let digits = String(NMEASentence.checksum(body.utf8), radix: 16, uppercase: true)
        return "$\(body)*\(digits.count < 2 ? "0" : "")\(digits)\r\n"
    }

    static let rmc = sentence("GPRMC,120000.500,A,5332.7510,N,00957.9840,E,2.721,95.97,210326,,,A")
    static let gga = sentence("GPGGA,120000.500,5332.75105,N,00957.98405,E,1,09,0.9,6.0,M,40.0,M,,")
    static let gsa = sentence("GPGSA,A,3,02,05,07,13,15,18,23,29,30,,,,1.7,0.9,1.5")

    static func events(_ text: String) -> [NMEADecoder.Event] {
        var decoder = NMEADecoder()
        return decoder.feed(text.utf8) + decoder.flush()
    }

    static func fix(_ text: String) throws -> SourceFix {
        let events = Self.events(text)
        try #require(events.count == 1, "\(events)")
        guard case .measured(.fix(let fix)) = events[0] else {
            Issue.record("not a fix: \(events)")
            throw NMEAError(rule: .noChecksum, offset: 0)
        }
        return fix
    }

    static func malformed(_ rule: NMEAError.Rule, at offset: Int) -> NMEADecoder.Event {
        .malformed(NMEAError(rule: rule, offset: offset))
    }

    /// 2026-03-21T12:00:00.500Z, from `date -d`.
    static let noon = 1_774_094_400.5

    @Test func sentencesOfOneTimeMakeOneFix() throws {
        let fix = try Self.fix(Self.rmc + Self.gga + Self.gsa)
        #expect(fix.latitude == 53 + 32.75105 / 60)
        #expect(fix.longitude == 9 + 57.98405 / 60)
        #expect(fix.time == Self.noon)
        #expect(fix.altitude == 6)
        #expect(fix.ellipsoidalAltitude == 46)
        #expect(fix.course == 95.97)
        #expect(try abs(#require(fix.speed) - 1.4) < 0.001)
        // 0.9 × 4 m and 1.5 × 4.8 m.
        #expect(abs(fix.horizontalAccuracy - 3.6) < 0.001)
        #expect(try abs(#require(fix.verticalAccuracy) - 7.2) < 0.001)
    }

    /// RMC and GGA of one time.
    private static func epoch(_ time: String) -> [String] {
        [
            self.sentence("GPRMC,\(time),A,5332.7510,N,00957.9840,E,2.721,95.97,210326,,,A"),
            self.sentence("GPGGA,\(time),5332.75105,N,00957.98405,E,1,09,0.9,6.0,M,40.0,M,,"),
        ]
    }

    private static func fixes(_ events: [NMEADecoder.Event]) -> [SourceFix] {
        events.compactMap { if case .measured(.fix(let fix)) = $0 { fix } else { nil } }
    }

    @Test func aCycleThatRepeatsIsLearnedAndItsEndEndsTheEpoch() {
        var decoder = NMEADecoder(learnsCycle: true)
        var counts: [Int] = []
        for second in 0..<6 {
            var count = 0
            for sentence in Self.epoch("12000\(second)") { count += Self.fixes(decoder.feed(sentence.utf8)).count }
            counts.append(count)
        }
        // The first two are complete with the sentence after them, the third with that sentence itself, and the rest at
        // once.
        #expect(counts == [0, 1, 2, 1, 1, 1])
    }

    /// Goal: a pause within an epoch, as a gateway with 4,800 baud causes, loses no speed, height or accuracy.
    @Test func whatComesAfterAPauseAmendsTheFix() throws {
        var decoder = NMEADecoder(learnsCycle: true)
        let epoch = Self.epoch("120000")
        #expect(decoder.feed(epoch[0].utf8).isEmpty)
        let early = try #require(Self.fixes(decoder.flush()).first)
        #expect(early.altitude == nil && early.horizontalAccuracy < 0)
        #expect(decoder.flush().isEmpty, "nothing was added")
        _ = decoder.feed(epoch[1].utf8)
        let amended = try #require(Self.fixes(decoder.flush()).first)
        #expect(amended.time == early.time && amended.altitude == 6 && amended.speed == early.speed)
        #expect(amended.horizontalAccuracy > 0)
    }

    @Test func theQuietTimeIsAPartOfTheReceiversInterval() {
        var decoder = NMEADecoder(learnsCycle: true)
        #expect(decoder.quiet == .milliseconds(100), "nothing is known")
        for second in 0..<3 { for sentence in Self.epoch("12000\(second)") { _ = decoder.feed(sentence.utf8) } }
        #expect(decoder.quiet == .milliseconds(400))
        for tenth in 1..<3 { for sentence in Self.epoch("120002.\(tenth)") { _ = decoder.feed(sentence.utf8) } }
        #expect(decoder.quiet == .milliseconds(40))
    }

    @Test func aCycleIsLearnedFromALineThatGoesQuietToo() {
        var decoder = NMEADecoder(learnsCycle: true)
        var counts: [Int] = []
        for second in 0..<5 {
            var count = 0
            for sentence in Self.epoch("12000\(second)") { count += Self.fixes(decoder.feed(sentence.utf8)).count }
            counts.append(count)
            #expect(decoder.flush().count == (count == 0 ? 1 : 0))
        }
        #expect(counts == [0, 0, 1, 1, 1])
    }

    @Test func aSentenceAfterTheSupposedEndAmendsTheFixAndIsLearned() {
        var decoder = NMEADecoder(learnsCycle: true)
        var fixes: [SourceFix] = []
        for second in 0..<9 {
            for sentence in Self.epoch("12000\(second)") { fixes += Self.fixes(decoder.feed(sentence.utf8)) }
            guard second >= 4 else { continue }
            let late = Self.sentence("GPGST,12000\(second),3.1,,,,3.0,4.0,7.5")
            fixes += Self.fixes(decoder.feed(late.utf8))
        }
        fixes += Self.fixes(decoder.flush())
        let times = fixes.map { $0.time ?? 0 }
        #expect(times == times.sorted())
        // The first epoch is reported again with its late sentence; the others wait until the decoder knows the last
        // sentence.
        #expect(times.count == 10)
        #expect(fixes.suffix(3).allSatisfy { $0.horizontalAccuracy == 5 })
    }

    @Test func southAndWestAreNegative() throws {
        let fix = try Self.fix(Self.sentence("GNRMC,120000,A,3351.0000,S,07030.0000,W,,,210326,,,A"))
        #expect(fix.latitude == -33.85)
        #expect(fix.longitude == -70.5)
        #expect(fix.course == nil && fix.speed == nil)
        #expect(fix.horizontalAccuracy < 0)
    }

    @Test(arguments: ["GP", "GN", "GL", "GA", "GB", "PQ", "IR", "II", "IN", "EC", "WI"]) func anyTalkerIsRead(
        talker: String
    ) throws {
        let fix = try Self.fix(Self.sentence("\(talker)GLL,5332.75,N,00957.98,E,120000,A,A"))
        #expect(fix.time == nil, "no sentence had a date")
    }

    /// Goal: positions that a chart plotter repeats later do not alternate with the receiver's.
    @Test func aReceiverGoesBeforeInstrumentsThatRepeatIt() {
        var decoder = NMEADecoder()
        var text = ""
        for second in 0..<9 {
            let late = Self.sentence("IIGLL,5333.75,N,00957.98,E,11595\(second),A,A")
            text += (second == 0 ? late : "") + Self.epoch("12000\(second)").joined() + late
        }
        let fixes = Self.fixes(decoder.feed(text.utf8) + decoder.flush())
        #expect(fixes.dropFirst().allSatisfy { $0.latitude < 53.55 } && fixes.count == 10)
    }

    @Test func anInstrumentFollowsAReceiverThatIsSilent() {
        var decoder = NMEADecoder()
        var text = Self.rmc
        for second in 0..<(TalkerChoice.patience + 3) {
            let time = 130_000 + second / 60 * 100 + second % 60
            text += Self.sentence("IIGLL,5333.75,N,00957.98,E,\(time),A,A")
        }
        #expect(Self.fixes(decoder.feed(text.utf8) + decoder.flush()).count == 4)
    }

    @Test func otherSentencesAreSkipped() {
        #expect(Self.events(Self.sentence("PGRMC,120000,A,5332.75,N,00957.98,E,,,210326,,,A")).isEmpty, "Garmin's own")
        #expect(Self.events(Self.sentence("gpGLL,5332.75,N,00957.98,E,120000,A,A")).isEmpty)
        #expect(Self.events(Self.sentence("GPTXT,01,01,02,hello") + Self.sentence("PUBX,04,1")).isEmpty)
        #expect(Self.events(Self.gsa).isEmpty, "says nothing about a position")
    }

    @Test func deviationsGoBeforeDilution() throws {
        let fix = try Self.fix(Self.gga + Self.sentence("GPGST,120000.500,5.0,,,,3.0,4.0,7.5"))
        #expect(fix.horizontalAccuracy == 5)
        #expect(fix.verticalAccuracy == 7.5)
    }

    /// Method: PUBX,00 is the example of u-blox' receiver description, but for its place and time.
    @Test func aReceiversOwnEstimateGoesBeforeDilution() throws {
        let own =
            "PUBX,00,120000.500,5332.75105,N,00957.98405,E,46.0,G3,2.1,2.0,0.007,77.52,0.007,,0.92,1.19,0.77,9,0,0"
        let fix = try Self.fix(Self.gga + Self.sentence(own))
        #expect(fix.horizontalAccuracy == 2.1 && fix.verticalAccuracy == 2.0)
        #expect(fix.altitude == 6 && fix.ellipsoidalAltitude == 46)
        let alone = try Self.fix(Self.sentence(own))
        #expect(alone.altitude == nil && alone.ellipsoidalAltitude == 46 && alone.course == 77.52)
        #expect(Self.events(Self.sentence(own.replacing("G3", with: "NF"))) == [.noFix])
        let garmin = try Self.fix(Self.gga + Self.sentence("PGRME,2.0,M,3.0,M,3.6,M"))
        #expect(abs(garmin.horizontalAccuracy - 2.4022) < 0.0001)
        #expect(try abs(#require(garmin.verticalAccuracy) - 4.4478) < 0.0001)
    }

    /// Goal: the fix has the dilution of GGA, not that of the last constellation.
    @Test func theDilutionOfTheFixGoesBeforeThatOfAConstellation() throws {
        let poor = Self.sentence("GLGSA,A,2,65,66,72,,,,,,,,,,70.0,50.0,49.0")
        let fix = try Self.fix(Self.gga + Self.gsa + poor)
        #expect(abs(fix.horizontalAccuracy - 3.6) < 0.001)
        #expect(try abs(#require(fix.verticalAccuracy) - 7.2) < 0.001)
    }

    @Test func aHeightIsValidWithoutAVerticalDilution() throws {
        let fix = try Self.fix(Self.gga)
        #expect(fix.altitude == 6)
        #expect(try abs(#require(fix.verticalAccuracy) - 0.9 * 1.6 * 4.8) < 0.001)
    }

    /// Goal: the GNS sentences that survey receivers send for each constellation, without modes, do not invalidate the
    /// epoch.
    @Test func aConstellationWithoutModesSaysNothingOfThePosition() throws {
        let fix = try Self.fix(
            Self.sentence("GNGNS,120000,5332.75,N,00957.98,E,DD,18,0.7,6.2,40.0,1.0,23")
                + Self.sentence("GPGNS,120000,,,,,,8,,,,1.0,23") + Self.sentence("GLGNS,120000,,,,,,6,,,,1.0,23")
        )
        #expect(fix.altitude == 6.2)
    }

    /// Goal: an invalid epoch without a time does not discard the next one's position.
    @Test func aVoidEpochWithoutATimeEndsWithTheFirstTime() {
        let events = Self.events(
            Self.sentence("GPGLL,,,,,,V,N") + Self.sentence("GPGGA,120000,5332.75,N,00957.98,E,1,09,0.9,6.0,M,40.0,M,,")
        )
        #expect(events.count == 2 && events.first == .noFix && Self.fixes(events).count == 1)
    }

    @Test func twoTalkersOfOneCourseAreOneEpoch() throws {
        let fix = try Self.fix(
            Self.rmc + Self.sentence("GPVTG,95.97,T,,M,2.721,N,5.04,K,A")
                + Self.sentence("GNVTG,95.97,T,,M,2.721,N,5.04,K,A") + Self.gga
        )
        #expect(fix.altitude == 6)
    }

    @Test func aFixWithoutADateHasATimeOfDay() throws {
        let fix = try Self.fix(Self.sentence("GPGGA,235959.5,5332.75,N,00957.98,E,1,09,0.9,6.0,M,40.0,M,,"))
        #expect(fix.time == nil && fix.timeOfDay == 86_399.5)
        // Before the noon of 2026-03-21, and after the midnight that ends that day.
        #expect(fix.time(now: 1_774_094_399) == 1_774_051_199.5)
        #expect(fix.time(now: 1_774_137_601) == 1_774_137_599.5)
        #expect(SourceFix(latitude: 0, longitude: 0, horizontalAccuracy: 1, time: nil).time(now: 5) == nil)
    }

    /// Goal: a searching receiver is distinguished from a broken antenna.
    @Test func satellitesAreCounted() {
        var decoder = NMEADecoder()
        _ = decoder.feed(
            (Self.sentence("GPGSV,2,1,07,02,45,120,40,05,60,200,38,07,15,310,33,13,70,080,44,1")
                + Self.sentence("GPGSV,2,2,07,15,45,120,40,18,60,200,38,23,15,310,33,1")
                + Self.sentence("GLGSV,1,1,02,65,30,050,35,66,30,050,35,1") + Self.gga).utf8
        )
        #expect(decoder.sky.seen == 9 && decoder.sky.used == 9 && decoder.sky.hdop == 0.9)
        _ = decoder.feed(Self.sentence("GLGSV,1,1,00,1").utf8)
        #expect(decoder.sky.seen == 7)
    }

    @Test(arguments: ["", "0.0", "00.0", "99.99"]) func unknownDilution(hdop: String) throws {
        let fix = try Self.fix(Self.sentence("GPGGA,120000,5332.75,N,00957.98,E,1,09,\(hdop),6.0,M,40.0,M,,"))
        #expect(fix.horizontalAccuracy < 0)
    }

    @Test func twoDimensionalFixHasNoAltitude() throws {
        let fix = try Self.fix(Self.gga + Self.sentence("GPGSA,A,2,02,05,07,,,,,,,,,,1.7,0.9,1.5"))
        #expect(fix.altitude == nil && fix.verticalAccuracy == nil)
    }

    @Test(arguments: [
        "GPRMC,120000,V,,,,,,,210326,,,N", "GPRMC,120000,V,5332.75,N,00957.98,E,0.0,0.0,210326,,,A",
        "GPRMC,120000,A,5332.75,N,00957.98,E,0.0,0.0,210326,,,N",
        "GPRMC,120000,A,5332.75,N,00957.98,E,0.0,0.0,210326,,,S",
        "GPGGA,120000,,,,,0,00,99.99,,,,,,", "GPGGA,120000,5332.75,N,00957.98,E,0,00,99.99,1.0,M,40.0,M,,",
        "GPGGA,120000,5332.75,N,00957.98,E,8,09,0.9,6.0,M,40.0,M,,",
        "GPGLL,,,,,120000,V,N", "GNGNS,120000,,,,,NNN,,,,,,", "GPRMC,,V,,,,,,,,,,N",
    ])
    func voidSentencesAreNoFix(body: String) {
        #expect(Self.events(Self.sentence(body)) == [.noFix])
    }

    @Test func anotherTimeEndsTheEpoch() {
        var decoder = NMEADecoder()
        #expect(decoder.feed((Self.rmc + Self.gga).utf8).isEmpty)
        #expect(decoder.feed(Self.sentence("GPRMC,120001.500,V,,,,,,,210326,,,N").utf8).count == 1)
        #expect(decoder.flush() == [.noFix])
        #expect(decoder.flush().isEmpty)
    }

    @Test func untimedSentencesEndTheEpochWhenTheyRepeat() {
        let void = Self.sentence("GPRMC,,V,,,,,,,,,,N") + Self.sentence("GPGGA,,,,,,0,00,99.99,,,,,,")
        #expect(Self.events(void + void + void) == [.noFix, .noFix, .noFix])
    }

    @Test func dateIsCarriedOverMidnight() {
        let times = Self.events(
            Self.sentence("GPRMC,235959,A,5332.75,N,00957.98,E,,,311226,,,A")
                + Self.sentence("GPGGA,000000,5332.75,N,00957.98,E,1,09,0.9,6.0,M,40.0,M,,")
                + Self.sentence("GPGGA,000001,5332.75,N,00957.98,E,1,09,0.9,6.0,M,40.0,M,,")
        ).map { event -> Double? in if case .measured(.fix(let fix)) = event { fix.time } else { nil } }
        // 2026-12-31T23:59:59Z, from `date -d`.
        #expect(times == [1_798_761_599, 1_798_761_600, 1_798_761_601])
    }

    /// Method: the seconds are from `date -d`.
    @Test(arguments: [
        ("060180", 315_964_800.0), ("311299", 946_598_400), ("010100", 946_684_800), ("290224", 1_709_164_800),
        ("311279", 3_471_206_400),
    ])
    func twoDigitYears(date: String, midnight: Double) throws {
        #expect(try Self.fix(Self.sentence("GPRMC,000000,A,5332.75,N,00957.98,E,,,\(date),,,A")).time == midnight)
    }

    @Test func leapSecond() throws {
        let fix = try Self.fix(Self.sentence("GPRMC,235960,A,5332.75,N,00957.98,E,,,311216,,,A"))
        #expect(fix.time == 1_483_228_800)
    }

    @Test func badChecksumIsDroppedAndNamed() {
        let broken = Self.rmc.replacing("00957.9840", with: "00957.9841")
        var body = Array(broken.utf8.dropFirst())
        body.removeLast(5)
        let expected = NMEASentence.checksum(body)
        let events = Self.events("noise" + broken + Self.rmc)
        #expect(events.count == 2)
        #expect(events.first == Self.malformed(.badChecksum(expected: expected, found: expected ^ 1), at: 5))
    }

    @Test func cutOffSentencesAreDroppedAndNamed() {
        let half = String(Self.rmc.prefix(30))
        #expect(Self.events(half + Self.rmc).first == Self.malformed(.noChecksum, at: 0))
        #expect(Self.events(half + "\r\n").first == Self.malformed(.noChecksum, at: 0))
        #expect(Self.events(half).isEmpty, "the rest may still come")
    }

    @Test func noiseAndCommentsAreSkipped() {
        let noise = "\u{0}\u{FF}!AIVDM,1*00\r\n# a comment with $GPRMC,quoted*00\r\n" + "ab" + Self.rmc
        #expect(Self.events(noise).count == 1)
    }

    @Test func lengthLimit() {
        let limit = NMEADecoder.sentenceBytesMax
        let longest = Self.sentence("GPTXT," + String(repeating: "x", count: limit - 9))
        #expect(longest.utf8.count == limit + 3)
        #expect(Self.events(longest).isEmpty)
        let tooLong = Self.sentence("GPTXT," + String(repeating: "x", count: limit - 8))
        #expect(Self.events(tooLong + Self.rmc).first == Self.malformed(.tooLong(limit: limit), at: 0))
        #expect(Self.events(tooLong + Self.rmc).count == 2)
    }

    @Test(arguments: [
        ("GPRMC,120000,A,5360.00,N,00957.98,E,,,210326,,,A", NMEASentence.Kind.rmc, 3),
        ("GPRMC,120000,A,9000.01,N,00957.98,E,,,210326,,,A", .rmc, 3),
        ("GPRMC,120000,A,nan,N,00957.98,E,,,210326,,,A", .rmc, 3),
        ("GPRMC,120000,A,5332.75,X,00957.98,E,,,210326,,,A", .rmc, 4),
        ("GPRMC,120000,A,5332.75,N,18000.01,E,,,210326,,,A", .rmc, 5),
        ("GPRMC,240000,A,5332.75,N,00957.98,E,,,210326,,,A", .rmc, 1),
        ("GPRMC,120000,A,5332.75,N,00957.98,E,,361,210326,,,A", .rmc, 8),
        ("GPRMC,120000,A,5332.75,N,00957.98,E,-1,,210326,,,A", .rmc, 7),
        ("GPRMC,120000,A,5332.75,N,00957.98,E,,,300226,,,A", .rmc, 9),
        ("GPRMC,1²0000,A,5332.75,N,00957.98,E,,,210326,,,A", .rmc, 1),
        ("GPGGA,120000,5332.75,N,00957.98,E,1,09,1e9,6.0,M,40.0,M,,", .gga, 8),
    ])
    func badFieldsAreNamed(body: String, kind: NMEASentence.Kind, field: Int) {
        #expect(Self.events(Self.sentence(body)) == [Self.malformed(.badField(sentence: kind, field: field), at: 0)])
    }

    @Test func missingFieldsAreNamed() {
        let expected = Self.malformed(.missingField(sentence: .rmc, field: 9), at: 0)
        #expect(Self.events(Self.sentence("GPRMC,120000,A,5332.75,N")) == [expected])
    }

    /// Goal: a malformed sentence does not affect its epoch.
    @Test func badSentenceChangesNothing() throws {
        let bad = Self.sentence("GPGGA,120000.500,1000.00,N,01000.00,E,1,09,x,6.0,M,40.0,M,,")
        let events = Self.events(Self.rmc + bad)
        #expect(
            events == [Self.malformed(.badField(sentence: .gga, field: 8), at: Self.rmc.utf8.count)]
                + Self.events(Self.rmc)
        )
    }

    @Test func piecesOfAnySizeGiveTheSame() {
        let text = "junk$GP" + Self.rmc + Self.gga + Self.gsa + Self.rmc.replacing("120000.5", with: "120001.5")
        var decoder = NMEADecoder()
        var events: [NMEADecoder.Event] = []
        for byte in text.utf8 { events += decoder.feed([byte]) }
        #expect(events + decoder.flush() == Self.events(text))
    }
}

internal import Testing

@testable internal import WhereaboutsLocationSources

/// Tests for the sentences that we write for programs: our decoder reads them back.
struct NMEAReportTests {
    /// A moment of 2026-05-17, at 09:00:00.25 UTC.
    private static let time = 1_779_008_400.25

    private func readBack(_ text: String) -> [NMEADecoder.Event] {
        var decoder = NMEADecoder()
        return decoder.feed(text.utf8) + decoder.flush()
    }

    private func fix(_ latitude: Double, _ longitude: Double, accuracy: Double) -> SourceFix {
        SourceFix(latitude: latitude, longitude: longitude, horizontalAccuracy: accuracy, time: Self.time)
    }

    @Test(arguments: [
        (53.5436, 9.9825, 4.2), (-33.8568, 151.2153, 12.0), (0, 0, 0.02), (90, -180, 3000),
        (-0.0000001, -0.0000001, 65), (12.9999999, 179.9999999, 5000),
    ])
    func aPositionIsReadBack(_ latitude: Double, _ longitude: Double, _ accuracy: Double) throws {
        var told = self.fix(latitude, longitude, accuracy: accuracy)
        (told.altitude, told.ellipsoidalAltitude, told.verticalAccuracy) = (-3.4, 41.1, 7.5)
        (told.speed, told.course) = (1.5, 359.99)
        let events = self.readBack(NMEAReport.sentences(of: told))
        guard case .measured(.fix(let heard))? = events.last, events.count == 1 else {
            Issue.record("\(events)")
            return
        }
        #expect(abs(heard.latitude - latitude) < 1e-7 && abs(heard.longitude - longitude) < 1e-7)
        // Two decimals, of two axes.
        #expect(abs(heard.horizontalAccuracy - accuracy) < 0.008)
        #expect(heard.time == Self.time)
        #expect(heard.altitude == -3.4)
        #expect(abs((heard.ellipsoidalAltitude ?? 0) - 41.1) < 0.01 && heard.verticalAccuracy == 7.5)
        #expect(abs((heard.speed ?? 0) - 1.5) < 0.001 && heard.course == 359.99)
    }

    @Test func sentencesAreAsTheStandardHasThem() {
        var told = self.fix(53.5436, -9.9825, accuracy: 4)
        #expect(
            NMEAReport.sentences(of: told) == """
                $GPRMC,090000.250,A,5332.61600,N,00958.95000,W,,,170526,,,A*7B\r
                $GPGGA,090000.250,5332.61600,N,00958.95000,W,1,,1.00,,M,,M,,*4F\r
                $GPGST,090000.250,,,,,2.83,2.83,*47\r

                """
        )
        told.horizontalAccuracy = 3000
        #expect(NMEAReport.sentences(of: told).contains(",1,,99.99,"))
        // Some readers reject lines longer than 82 bytes with their line ends.
        (told.altitude, told.ellipsoidalAltitude, told.verticalAccuracy) = (-8848.86, -8811.11, 123.45)
        (told.speed, told.course) = (299.999, 359.999)
        #expect(NMEAReport.sentences(of: told).contains(",583.151,0.00,"))
        for line in NMEAReport.sentences(of: told).split(separator: "\r\n") { #expect(line.utf8.count <= 80) }
    }

    /// Goal: an impossible value, such as a time before 1970, neither ends this program nor makes an invalid sentence.
    @Test func whatCannotBeSaidIsLeftOut() {
        #expect(NMEAReport.sentences(of: SourceFix(latitude: 1, longitude: 1, horizontalAccuracy: 1, time: nil)) == "")
        #expect(NMEAReport.sentences(of: SourceFix(latitude: 1, longitude: 1, horizontalAccuracy: 1, time: -5)) == "")
        var told = self.fix(1, 1, accuracy: -1)
        (told.altitude, told.speed) = (.nan, .infinity)
        #expect(self.readBack(NMEAReport.sentences(of: told)).count == 1)
    }

    @Test func nobodyKnowsWhere() {
        #expect(self.readBack(NMEAReport.nowhere(at: Self.time)) == [.noFix])
    }
}

internal import Testing
internal import WhereaboutsLocationSources

/// Tests for headings of compasses; missing values stay missing.
@Suite struct HeadingTests {
    private func nmea(_ body: String) -> [NMEADecoder.Event] {
        var decoder = NMEADecoder()
        let checksum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return decoder.feed("$\(body)*\(checksum.count < 2 ? "0" : "")\(checksum)\r\n".utf8)
    }

    @Test func eachSentenceTellsItsNorth() {
        #expect(self.nmea("HEHDT,123.4,T") == [.measured(.heading(SourceHeading(magnetic: nil, geographic: 123.4)))])
        #expect(self.nmea("HCHDM,359.0,M") == [.measured(.heading(SourceHeading(magnetic: 359, geographic: nil)))])
        #expect(self.nmea("HCHDG,10.0,,,,") == [.measured(.heading(SourceHeading(magnetic: 10, geographic: nil)))])
        #expect(self.nmea("HCHDT,,T").isEmpty)
    }

    @Test func deviationAndVariationAreTheReceiversOwn() {
        let east = self.nmea("HCHDG,358.0,1.0,E,4.0,E")
        #expect(east == [.measured(.heading(SourceHeading(magnetic: 359, geographic: 3)))])
        let west = self.nmea("HCHDG,1.0,2.0,W,4.0,W")
        #expect(west == [.measured(.heading(SourceHeading(magnetic: 359, geographic: 355)))])
    }

    @Test func aWrongLetterIsMalformed() {
        guard case .malformed? = self.nmea("HCHDG,1.0,2.0,X,,").first else {
            Issue.record("a deviation to the X was read")
            return
        }
    }

    @Test func gpsdTellsBothNorthsAndTheStateOfTheCompass() {
        var decoder = GPSDDecoder()
        let lines = """
            {"class":"ATT","device":"/dev/ttyS0","heading":14.0,"mag_st":"N"}
            {"class":"TPV","mode":1,"magvar":4.0}
            {"class":"ATT","device":"/dev/ttyS0","mheading":358.0,"mag_st":"C"}
            {"class":"ATT","device":"/dev/ttyS0","pitch":1.0}
            {"class":"ATT","device":"/dev/ttyS0","heading":400.0}

            """
        let events = decoder.feed(lines.utf8)
        #expect(events.count == 4)
        #expect(events.first == .measured(.heading(SourceHeading(magnetic: nil, geographic: 14))))
        #expect(
            events.dropFirst(2).first
                == .measured(.heading(SourceHeading(magnetic: 358, geographic: 2, isDisturbed: true)))
        )
        guard case .malformed? = events.last else {
            Issue.record("a heading of 400 degrees was read")
            return
        }
    }
}

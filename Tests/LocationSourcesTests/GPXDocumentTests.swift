internal import Testing

@testable internal import WhereaboutsLocationSources

/// Goal: GPX files of other programs are read, and the error for an invalid file names the place.
@Suite struct GPXDocumentTests {
    private static func points(_ text: String) throws -> [GPXDocument.Point] {
        try GPXDocument(text.utf8).points
    }

    @Test func prefixesCommentsAndQuotesMeanNothing() throws {
        let points = try Self.points(
            """
            <?xml version='1.0'?><!DOCTYPE gpx><!-- <trkpt lat="9" lon="9"/> -->
            <g:gpx xmlns:g="http://www.topografix.com/GPX/1/1"><g:trk><g:name>a &gt; b</g:name><g:trkseg>
            <g:trkpt
              lon = '11.5' note="a > b" lat = "48.5"><g:ele><![CDATA[ 12.5 ]]></g:ele><g:time>2026-01-01T12:00:00</g:time>
            </g:trkpt></g:trkseg></g:trk></g:gpx>
            """
        )
        #expect(points.count == 1 && points[0].latitude == 48.5 && points[0].longitude == 11.5)
        #expect(points[0].altitude == 12.5 && points[0].time == 1_767_268_800)
    }

    @Test func aTrackComesBeforeARouteAndARouteBeforeWaypoints() throws {
        let text = #"<gpx><wpt lat="1" lon="1"/><rte><rtept lat="2" lon="2"/></rte>"#
        #expect(try Self.points(text + "</gpx>").map(\.latitude) == [2])
        let track = text + #"<trk><trkseg><trkpt lat="3" lon="3"/></trkseg></trk></gpx>"#
        #expect(try Self.points(track).map(\.latitude) == [3])
        #expect(try Self.points(#"<gpx><wpt lat="1" lon="1"/><wpt lat="4" lon="4"/></gpx>"#).map(\.latitude) == [1, 4])
    }

    @Test func theFirstElementOfANameCounts() throws {
        let points = try Self.points(
            #"<trkpt lat="1" lon="1"><ele>5</ele><extensions><x:ele>6</x:ele><x:speed>2</x:speed></extensions></trkpt>"#
        )
        #expect(points[0].altitude == 5 && points[0].speed == 2)
    }

    @Test func segmentsBeginWhereReceptionWasLost() throws {
        let point = #"<trkpt lat="1" lon="1"/>"#
        let points = try Self.points("<trk><trkseg>\(point)\(point)</trkseg><trkseg>\(point)\(point)</trkseg></trk>")
        #expect(points.map(\.beginsSegment) == [true, false, true, false])
    }

    @Test(arguments: [
        ("", GPXError.Rule.noPoints, 0), ("<html></html>", .noPoints, 0), ("<gpx><trkpt lat=\"1\" ", .cutShort, 1),
        ("<trkpt lat=\"1\" lon=\"1\"/><trkpt lat=\"1\">", .noAttribute("lon"), 2),
        ("<trkpt lat=\"nan\" lon=\"1\"/>", .noDegrees(attribute: "lat", value: "nan"), 1),
        ("<trkpt lat=\"1\" lon=\"181\"/>", .noPlace(latitude: 1, longitude: 181), 1),
        ("<trkpt lat=\"1\" lon=\"1\"><time>12 o'clock</time></trkpt>", .noTime("12 o'clock"), 1),
        ("<trkpt lat=\"1\" lon=\"1\"><time>2026-01-01T12:00+2:00</time>", .noTime("2026-01-01T12:00+2:00"), 1),
    ])
    func theMistakeIsNamedWithItsPlace(_ text: String, _ rule: GPXError.Rule, _ point: Int) {
        #expect(throws: GPXError(rule: rule, point: point)) { try GPXDocument(text.utf8) }
    }

    /// Goal: a written file is read back unchanged, and is complete after each point.
    @Test func aWrittenTrackIsReadAsItWas() throws {
        var writer = GPXWriter()
        var text = GPXWriter.header(creator: "test")
        let seconds = [0.0, 1, 1, 2.25, 60]
        for second in seconds {
            var fix = SourceFix(
                latitude: -33.8567844,
                longitude: 151.2152967,
                horizontalAccuracy: 3.5,
                time: 1_779_008_400 + second
            )
            (fix.altitude, fix.speed, fix.course) = (12.5, 1.25, 359.5)
            text += writer.point(fix)
            _ = try GPXDocument((text + GPXWriter.footer).utf8)
        }
        let points = try GPXDocument((text + GPXWriter.footer).utf8).points
        #expect(points.map(\.time) == [0, 1, 2.25, 60].map { 1_779_008_400 + $0 })
        #expect(points.map(\.beginsSegment) == [true, false, false, true])
        let last = try #require(points.last)
        #expect(last.latitude == -33.8567844 && last.longitude == 151.2152967 && last.accuracy == 3.5)
        #expect(last.altitude == 12.5 && last.speed == 1.25 && last.course == 359.5)
    }

    @Test func aFixThatKnowsLittleIsWritten() throws {
        var writer = GPXWriter()
        let fix = SourceFix(latitude: 1, longitude: 2, horizontalAccuracy: -1, time: 0)
        let text = #"<trkpt lat="1.0000000" lon="2.0000000"><time>1970-01-01T00:00:00.000Z</time></trkpt>"#
        #expect(writer.point(fix) == text + "\n")
        #expect(writer.point(SourceFix(latitude: 1, longitude: 2, horizontalAccuracy: 1, time: nil)).isEmpty)
    }

    @Test func linesAreLetThroughWhole() {
        var lines = WholeLines()
        #expect(lines.feed("half\r\nwhole\r\nbeg".utf8) == Array("whole\r\n".utf8))
        #expect(lines.feed("un\n\n".utf8) == Array("begun\n\n".utf8) && lines.count == 3)
        let long = String(repeating: "x", count: GPSDDecoder.lineBytesMax - 1)
        #expect(lines.feed((long + "\n").utf8).count == GPSDDecoder.lineBytesMax)
        #expect(lines.feed((long + "x\nnext\n").utf8) == Array("next\n".utf8))
    }
}

internal import Testing

@testable import WhereaboutsLocationSources

@Suite struct GPSDDecoderTests {
    static func events(_ text: String) -> [GPSDDecoder.Event] {
        var decoder = GPSDDecoder()
        return decoder.feed(text.utf8)
    }

    static func malformed(_ rule: GPSDError.Rule, at offset: Int) -> GPSDDecoder.Event {
        .malformed(GPSDError(rule: rule, offset: offset))
    }

    /// A session of gpsd 3.22 with a new client, up to the first epoch; recorded from gpsfake with the sample track.
    static let session = """
        {"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}\r
        {"class":"DEVICES","devices":[]}\r
        {"class":"WATCH","enable":true,"json":true,"nmea":false,"raw":0,"scaled":false,"timing":false,"split24":false}\r
        {"class":"DEVICE","path":"/dev/pts/1","activated":"2026-11-21T07:51:01.269Z"}\r
        {"class":"SKY","device":"/dev/pts/1","hdop":0.90,"pdop":1.70,"vdop":1.50,"uSat":9}\r
        {"class":"TPV","device":"/dev/pts/1","mode":3,"time":"2026-11-21T07:51:00.250Z","ept":0.005,"lat":53.545858833,\
        "lon":9.966416333,"altHAE":46.0000,"altMSL":6.0000,"alt":6.0000,"epv":34.500,"track":95.9700,"magtrack":99.0399,\
        "magvar":3.1,"speed":1.400,"climb":0.000,"epc":69.00,"geoidSep":40.000,"eph":17.100,"sep":32.300}\r

        """

    @Test func aSession() throws {
        let events = Self.events(Self.session)
        try #require(events.count == 5)
        #expect(
            events.dropLast() == [
                .ready(release: "3.22"), .devices([]), .watching(true), .deviceFound(path: "/dev/pts/1"),
            ]
        )
        guard case .measured(.fix(let fix)) = events[4] else {
            Issue.record("not a fix: \(events[4])")
            return
        }
        #expect(fix.latitude == 53.545858833 && fix.longitude == 9.966416333)
        // 2026-11-21T07:51:00.250Z, from `date -d`.
        #expect(fix.time == 1_795_247_460.25)
        #expect(fix.altitude == 6 && fix.ellipsoidalAltitude == 46)
        #expect(fix.course == 95.97 && fix.speed == 1.4)
        // gpsd multiplies dilution and range error; the factors are 0.9 × 4 m and 1.5 × 4.8 m.
        #expect(abs(fix.horizontalAccuracy - 3.6) < 0.001)
        #expect(try abs(#require(fix.verticalAccuracy) - 7.2) < 0.001)
    }

    @Test func piecesOfAnySizeGiveTheSame() {
        var decoder = GPSDDecoder()
        #expect(Self.session.utf8.flatMap { decoder.feed([$0]) } == Self.events(Self.session))
    }

    @Test(arguments: [0, 1]) func modesWithoutAFix(mode: Int) {
        #expect(Self.events("{\"class\":\"TPV\",\"mode\":\(mode),\"lat\":1.0,\"lon\":2.0}\n") == [.noFix])
    }

    @Test func twoDimensionalFixHasNoAltitude() {
        let events = Self.events(
            "{\"class\":\"TPV\",\"mode\":2,\"lat\":1.0,\"lon\":2.0,\"alt\":3.0,\"epx\":9.8,\"epy\":9.8}\n"
        )
        guard case .measured(.fix(let fix))? = events.first else {
            Issue.record("not a fix: \(events)")
            return
        }
        #expect(fix.altitude == nil && fix.time == nil)
        // 9.8 m at 95 % on each axis is σ = 5 m on each, 7.07 m together.
        #expect(abs(fix.horizontalAccuracy - 7.071) < 0.001)
    }

    @Test func receiversComeAndGo() {
        #expect(
            Self.events(
                "{\"class\":\"DEVICES\",\"devices\":[{\"class\":\"DEVICE\",\"path\":\"/dev/ttyUSB0\"}]}\n"
                    + "{\"class\":\"DEVICE\",\"path\":\"/dev/ttyUSB0\",\"activated\":0}\n"
            )
                == [.devices(["/dev/ttyUSB0"]), .deviceLost(path: "/dev/ttyUSB0")]
        )
    }

    private static func fixes(_ events: [GPSDDecoder.Event]) -> [SourceFix] {
        events.compactMap { if case .measured(.fix(let fix)) = $0 { fix } else { nil } }
    }

    private static func position(
        _ device: String = "/dev/ttyUSB0",
        second: Int = 0,
        latitude: Double = 53.5,
        saying further: String = #""eph":1.144,"epv":1.6,"eps":0.2,"speed":1"#
    ) -> String {
        #"{"class":"TPV","device":"\#(device)","mode":3,"time":"2026-11-21T07:51:\#(second < 10 ? "0" : "")\#(second).000Z","#
            + #""lat":\#(latitude),"lon":9.9,"altMSL":6.0,\#(further)}"# + "\n"
    }

    private static func device(_ path: String = "/dev/ttyUSB0", driver: String) -> String {
        #"{"class":"DEVICE","path":"\#(path)","driver":"\#(driver)","activated":"2026-11-21T07:51:01.269Z"}"# + "\n"
    }

    /// Goal: the accuracy of the most common receiver is not 42 % too small.
    @Test(arguments: [("u-blox", 1.144, 1.6, 0.2), ("SiRF", 1.144, 1.6, 0.2), ("NMEA0183", 0.2408, 0.3339, 0.1020)])
    func anEstimateMeansWhatTheDriverMakesIt(
        _ driver: String,
        _ accuracy: Double,
        _ height: Double,
        _ speed: Double
    ) throws {
        let fix = try #require(Self.fixes(Self.events(Self.device(driver: driver) + Self.position())).first)
        #expect(abs(fix.horizontalAccuracy - accuracy) < 0.001)
        #expect(try abs(#require(fix.verticalAccuracy) - height) < 0.001)
        #expect(try abs(#require(fix.speedAccuracy) - speed) < 0.001)
    }

    /// Goal: for a u-blox receiver that speaks NMEA, gpsd's estimate is recognised by its dilution.
    @Test func gpsdsProductIsTakenApartWhateverTheDriver() throws {
        let sky = #"{"class":"SKY","device":"/dev/ttyUSB0","hdop":0.9,"vdop":1.5,"nSat":12,"uSat":9}"# + "\n"
        for (eph, accuracy) in [("17.1", 3.6), ("4.275", 2.43), ("2.5", 2.5)] {
            let text = Self.device(driver: "u-blox") + sky + Self.position(saying: #""eph":\#(eph)"#)
            let fix = try #require(Self.fixes(Self.events(text)).first)
            #expect(abs(fix.horizontalAccuracy - accuracy) < 0.001, "\(eph)")
        }
    }

    @Test func aReceiversDeviationsGoBeforeEstimates() throws {
        func gst(_ second: String) -> String {
            #"{"class":"GST","device":"/dev/ttyUSB0","time":"2026-11-21T07:51:\#(second).000Z","lat":3.0,"lon":4.0,"alt":7.5}"#
                + "\n"
        }
        let fresh = try #require(Self.fixes(Self.events(gst("09") + Self.position(second: 10))).first)
        #expect(fresh.horizontalAccuracy == 5 && fresh.verticalAccuracy == 7.5)
        let old = try #require(Self.fixes(Self.events(gst("01") + Self.position(second: 10))).first)
        #expect(old.horizontalAccuracy != 5)
    }

    @Test func noErrorIsLessThanTheNoiseOfTheCarrier() throws {
        let fix = try #require(Self.fixes(Self.events(Self.position(saying: #""eph":1e-9"#))).first)
        #expect(fix.horizontalAccuracy == 0.01)
    }

    @Test func aSimulatorsPositionIsNoFix() {
        #expect(Self.events(Self.position(saying: #""status":8"#)) == [.noFix])
    }

    /// Goal: positions of two receivers 500 m apart do not alternate.
    @Test func ofTwoReceiversOneCounts() {
        var text = ""
        for second in 0..<9 {
            text +=
                Self.position("/dev/a", second: second, latitude: 53)
                + Self.position("/dev/b", second: second, latitude: 54)
        }
        #expect(Self.fixes(Self.events(text)).map(\.latitude) == Array(repeating: 53, count: 9))
    }

    @Test func theOtherOneFollowsAReceiverThatIsSilent() {
        var text = Self.position("/dev/a", latitude: 53)
        for second in 0..<9 { text += Self.position("/dev/b", second: second, latitude: 54) }
        text += Self.position("/dev/a", second: 9, latitude: 53)
        // From the sixth second on.
        #expect(Self.fixes(Self.events(text)).map(\.latitude) == [53, 54, 54, 54, 54])
    }

    @Test func losingOneOfTwoReceiversLosesNoFix() {
        var decoder = GPSDDecoder()
        let begin = Self.device("/dev/a", driver: "u-blox") + Self.device("/dev/b", driver: "SiRF")
        _ = decoder.feed((begin + Self.position("/dev/a", latitude: 53)).utf8)
        #expect(decoder.driver == "u-blox" && decoder.device == "/dev/a")
        let lost = "{\"class\":\"DEVICE\",\"path\":\"/dev/a\",\"activated\":0}\n"
        #expect(decoder.feed(lost.utf8) == [.deviceLost(path: "/dev/a")])
        #expect(decoder.hasReceiver)
        #expect(Self.fixes(decoder.feed(Self.position("/dev/b", latitude: 54).utf8)).count == 1)
        #expect(decoder.driver == "SiRF")
    }

    @Test func receiversAreBounded() {
        var receivers = GPSDReceivers()
        for number in 0...GPSDReceivers.receiversMax {
            receivers.update("/dev/\(number)") { $0.accuracy.driver = "u-blox" }
        }
        #expect(receivers.receivers.count == GPSDReceivers.receiversMax)
    }

    @Test func satellitesOfBothForms() {
        for text in [
            #"{"class":"SKY","hdop":0.9,"nSat":12,"uSat":9}"#,
            #"{"class":"SKY","hdop":0.9,"satellites":[{"PRN":1,"used":true},{"PRN":2,"used":false}]}"#,
        ] {
            var decoder = GPSDDecoder()
            _ = decoder.feed((text + "\n").utf8)
            #expect(decoder.sky.hdop == 0.9)
            #expect([[12, 9], [2, 1]].contains([decoder.sky.seen, decoder.sky.used]))
        }
    }

    /// Goal: texts from gpsd cannot add lines to a log or control a terminal.
    @Test func wordsOfGPSDAreShownPlain() {
        let events = Self.events(#"{"class":"ERROR","message":"no\nlevel=info forged \u001b[2J"}"# + "\n")
        #expect(events == [.failed(message: "no level=info forged  [2J")])
    }

    @Test func refusedCommand() {
        #expect(
            Self.events("{\"class\":\"ERROR\",\"message\":\"Invalid WATCH\"}\n") == [.failed(message: "Invalid WATCH")]
        )
    }

    @Test(arguments: [
        ("HTTP/1.1 400 Bad Request", GPSDError.Rule.notAReport), ("{\"class\":", .notAReport), ("[]", .notAReport),
        ("{\"mode\":3}", .notAReport), ("{\"class\":3}", .notAReport), ("\u{FF}\u{0}", .notAReport),
        ("{\"class\":\"TPV\"}", .wrongShape(report: "TPV")),
        ("{\"class\":\"TPV\",\"mode\":3}", .wrongShape(report: "TPV")),
        ("{\"class\":\"TPV\",\"mode\":3,\"lat\":\"1\",\"lon\":2}", .wrongShape(report: "TPV")),
        ("{\"class\":\"TPV\",\"mode\":3,\"lat\":90.1,\"lon\":2}", .outOfRange(field: "lat")),
        ("{\"class\":\"TPV\",\"mode\":3,\"lat\":1,\"lon\":-180.1}", .outOfRange(field: "lon")),
        ("{\"class\":\"TPV\",\"mode\":3,\"lat\":1,\"lon\":2,\"time\":\"yesterday\"}", .outOfRange(field: "time")),
        ("{\"class\":\"VERSION\",\"release\":\"9\",\"proto_major\":4}", .unsupportedProtocol(major: 4)),
        ("{\"class\":\"VERSION\"}", .wrongShape(report: "VERSION")),
    ])
    func wrongLinesAreNamedAndTheNextIsRead(line: String, rule: GPSDError.Rule) {
        let events = Self.events("{\"class\":\"SKY\"}\n\(line)\n{\"class\":\"TPV\",\"mode\":1}\n")
        #expect(events == [Self.malformed(rule, at: 16), .noFix])
    }

    @Test func deepNestingIsAnErrorAndNoCrash() {
        let line = "{\"class\":\"TPV\",\"x\":" + String(repeating: "[", count: 9000) + "\n"
        #expect(Self.events(line) == [Self.malformed(.notAReport, at: 0)])
    }

    @Test func lengthLimit() {
        let limit = GPSDDecoder.lineBytesMax
        func line(_ count: Int) -> String {
            let frame = "{\"class\":\"TPV\",\"mode\":1,\"x\":\"\"}"
            return "{\"class\":\"TPV\",\"mode\":1,\"x\":\"" + String(repeating: "x", count: count - frame.utf8.count)
                + "\"}\r\n"
        }
        #expect(Self.events(line(limit)) == [.noFix])
        let tooLong = line(limit + 1)
        #expect(Self.events(tooLong + line(100)) == [Self.malformed(.lineTooLong(limit: limit), at: 0), .noFix])
    }
}

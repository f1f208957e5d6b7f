internal import Testing

@testable import LocationSources

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
        #expect(abs(fix.horizontalAccuracy - 17.1 * 0.577787) < 0.001)
        #expect(try abs(#require(fix.verticalAccuracy) - 34.5 / 1.96) < 0.001)
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

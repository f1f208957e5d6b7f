internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationSources

/// Goal: positions of an external program are decoded, and no input does harm.
@Suite struct ProgramDecoderTests {
    private static let now = EngineInstant(sinceStart: .seconds(100))

    private static func events(_ text: String) -> [ProgramDecoder.Event] {
        var decoder = ProgramDecoder()
        return decoder.feed(Array(text.utf8), now: self.now)
    }

    private static func rule(_ line: String) -> ProgramError.Rule? {
        guard case .malformed(let error)? = self.events(line + "\n").first else { return nil }
        return error.rule
    }

    @Test func aFixIsReadWithAllItsFields() throws {
        let events = Self.events(
            """
            {"name": "bus", "fix": {"latitude": 48.5, "longitude": -11.25, "accuracy": 3.5, "altitude": 500, \
            "ellipsoidalAltitude": 547, "verticalAccuracy": 5, "course": 359.5, "courseAccuracy": 2, "speed": 13.9, \
            "speedAccuracy": 0.3, "time": 1795000000.25, "isEstimate": true}}

            """
        )
        guard case .measured(.fix(let fix))? = events.first else {
            Issue.record("no fix: \(events)")
            return
        }
        #expect(fix.latitude == 48.5 && fix.longitude == -11.25 && fix.horizontalAccuracy == 3.5)
        #expect(fix.altitude == 500 && fix.ellipsoidalAltitude == 547 && fix.verticalAccuracy == 5)
        #expect(fix.course == 359.5 && fix.courseAccuracy == 2 && fix.speed == 13.9 && fix.speedAccuracy == 0.3)
        #expect(fix.time == 1_795_000_000.25 && fix.isEstimate)
    }

    @Test func theLeastIsEnough() {
        #expect(Self.events("{\"fix\":{\"latitude\":0,\"longitude\":180}}\r\n").count == 1)
        #expect(Self.events("{\"state\":\"lost\"}\n") == [.lost])
        #expect(Self.events("{\"state\":\"searching\"}\n\n") == [.searching])
        #expect(Self.events("{\"name\":\"bus\"}\n").isEmpty)
        let heading = SourceHeading(magnetic: nil, geographic: 90)
        #expect(Self.events("{\"heading\":{\"trueNorth\":90}}\n") == [.measured(.heading(heading))])
    }

    @Test(arguments: [
        ("hello", ProgramError.Rule.notAReport), ("{}", .empty), ("[]", .notAReport), ("{\"fix\":{}}", .notAReport),
        ("{\"fix\":{\"latitude\":91,\"longitude\":0}}", .outOfRange(field: "latitude")),
        ("{\"fix\":{\"latitude\":\"1\",\"longitude\":0}}", .notAReport),
        ("{\"fix\":{\"latitude\":1e999,\"longitude\":0}}", .notAReport),
        ("{\"fix\":{\"latitude\":1,\"longitude\":0,\"speed\":-1}}", .outOfRange(field: "speed")),
        ("{\"fix\":{\"latitude\":1,\"longitude\":0,\"accuracy\":0}}", .outOfRange(field: "accuracy")),
        ("{\"heading\":{}}", .empty), ("{\"state\":\"?\"}", .outOfRange(field: "state")),
    ])
    func aWrongLineIsNamedByItsRule(line: String, rule: ProgramError.Rule) {
        #expect(Self.rule(line) == rule)
    }

    @Test func aLineMayBeSoLongAndNoLonger() {
        let fix = "{\"fix\":{\"latitude\":1,\"longitude\":1}}"
        let longest = fix + String(repeating: " ", count: ProgramDecoder.lineBytesMax - fix.utf8.count)
        #expect(Self.events(longest + "\n").count == 1)
        let limit = ProgramDecoder.lineBytesMax
        #expect(
            Self.events(longest + " \n" + fix + "\n").first
                == .malformed(ProgramError(rule: .lineTooLong(limit: limit), offset: 0))
        )
        #expect(Self.events(longest + " \n" + fix + "\n").count == 2, "the next line is read")
    }

    /// Goal: a flood is reduced to the rate of a receiver.
    @Test func aFloodIsCut() {
        var decoder = ProgramDecoder()
        let line = Array("{\"fix\":{\"latitude\":1,\"longitude\":1}}\n".utf8)
        var taken = 0
        for second in 0..<4 {
            for _ in 0..<500 {
                let events = decoder.feed(line, now: EngineInstant(sinceStart: .seconds(second)))
                if case .measured? = events.first { taken += 1 }
            }
        }
        #expect(taken == 4 * ProgramDecoder.measurementsMax)
    }

    /// Goal: the result does not depend on how a line is split into packets.
    @Test func piecesAreNoDifference() {
        let text = Array("{\"fix\":{\"latitude\":1,\"longitude\":1}}\nx\n{\"state\":\"lost\"}\n".utf8)
        var (whole, byByte) = (ProgramDecoder(), ProgramDecoder())
        let events = whole.feed(text, now: Self.now)
        #expect(events == text.flatMap { byByte.feed([$0], now: Self.now) })
        #expect(events.count == 3)
    }

    @Test func aNameIsPlainAndShort() {
        var decoder = ProgramDecoder()
        _ = decoder.feed(
            Array("{\"name\":\"a\\u001b[31mb\(String(repeating: "x", count: 500))\"}\n".utf8),
            now: Self.now
        )
        let name = decoder.name ?? ""
        #expect(name.utf8.count <= 110 && !name.utf8.contains(27))
    }
}

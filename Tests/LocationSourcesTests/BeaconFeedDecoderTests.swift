internal import Foundation
internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationSources

/// Goal: reports of an external scanner are decoded, and no input does harm.
@Suite struct BeaconFeedDecoderTests {
    private static let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
    private static let least = "{\"uuid\":\"\(uuid)\",\"major\":1,\"minor\":2,\"rssi\":-67,\"measuredPower\":-59}"

    private static func now(_ seconds: Int = 0) -> Now {
        Now(
            monotonic: EngineInstant(sinceStart: .seconds(100 + seconds)),
            wall: WallTime(timeIntervalSince1970: 1_795_000_000 + Double(seconds))
        )
    }

    private static func events(_ text: String) -> [BeaconFeedDecoder.Event] {
        var decoder = BeaconFeedDecoder()
        return decoder.feed(Array(text.utf8), now: self.now())
    }

    private static func rule(_ line: String) -> BeaconFeedError.Rule? {
        guard case .malformed(let error)? = self.events(line + "\n").first else { return nil }
        return error.rule
    }

    /// The least line with a field in place of one of its own, or besides.
    private static func line(_ field: String, _ value: String) -> String {
        let others = least.dropFirst().dropLast().split(separator: ",").filter { !$0.hasPrefix("\"\(field)\"") }
        return "{\"\(field)\":\(value),\(others.joined(separator: ","))}"
    }

    @Test func aReceptionIsRead() throws {
        let advertisement = SourceAdvertisement(
            uuid: try #require(UUID(uuidString: Self.uuid)),
            major: 1,
            minor: 2,
            rssi: -67,
            measuredPower: -59
        )
        #expect(Self.events(Self.least + "\r\n") == [.received(advertisement)])
        #expect(Self.events(Self.line("time", "1795000004.5") + "\n") == [.received(advertisement)])
        #expect(Self.events(Self.line("listening", "true") + "\n") == [.received(advertisement)])
    }

    @Test func aScannerSaysThatItListens() {
        #expect(Self.events("{\"listening\":true}\n\n{\"listening\":false}\n") == [.listening, .deaf])
    }

    @Test(arguments: [
        ("hello", BeaconFeedError.Rule.notAReport), ("{}", .notAReport), ("[]", .notAReport),
        ("{\"uuid\":\"nonsense\"}", .notAReport), ("{\"listening\":\"yes\"}", .notAReport),
        ("{\"uuid\":\"\(uuid)\",\"major\":1}", .notAReport), (line("major", "1.5"), .notAReport),
        (line("major", "65536"), .outOfRange(field: "major")), (line("minor", "-1"), .outOfRange(field: "minor")),
        (line("rssi", "21"), .outOfRange(field: "rssi")), (line("rssi", "127"), .outOfRange(field: "rssi")),
        (line("measuredPower", "-128"), .outOfRange(field: "measuredPower")),
        (line("rssi", "99999999999999999999"), .notAReport),
        (line("time", "1795000005.5"), .anotherTime(secondsMax: 5)), (line("time", "0"), .anotherTime(secondsMax: 5)),
        (line("time", "1e999"), .notAReport),
    ])
    func aWrongLineIsNamedByItsRule(line: String, rule: BeaconFeedError.Rule) {
        #expect(Self.rule(line) == rule)
    }

    @Test func aLineMayBeSoLongAndNoLonger() {
        let limit = BeaconFeedDecoder.lineBytesMax
        let longest = Self.least + String(repeating: " ", count: limit - Self.least.utf8.count)
        #expect(Self.events(longest + "\n").count == 1)
        let events = Self.events(longest + " \n" + Self.least + "\n")
        #expect(events.first == .malformed(BeaconFeedError(rule: .lineTooLong(limit: limit), offset: 0)))
        #expect(events.count == 2, "the next line is read")
    }

    @Test func aFloodIsCut() {
        var decoder = BeaconFeedDecoder()
        let line = Array((Self.least + "\n").utf8)
        var taken = 0
        for second in 0..<3 {
            for _ in 0..<2000 {
                if case .received? = decoder.feed(line, now: Self.now(second)).first { taken += 1 }
            }
        }
        #expect(taken == 3 * BeaconFeedDecoder.advertisementsMax)
        #expect(decoder.feed(Array("{\"listening\":true}\n".utf8), now: Self.now(2)) == [.listening])
    }

    /// Goal: the result does not depend on how a line is split into packets.
    @Test func piecesAreNoDifference() {
        let text = Array((Self.least + "\nx\n{\"listening\":true}\n").utf8)
        var (whole, byByte) = (BeaconFeedDecoder(), BeaconFeedDecoder())
        let events = whole.feed(text, now: Self.now())
        #expect(events == text.flatMap { byByte.feed([$0], now: Self.now()) })
        #expect(events.count == 3)
    }

    @Test func theFeedIsToldInWords() {
        var health = BeaconFeedHealth()
        #expect(health.words == "off")
        health.socket = .open
        #expect(health.words == "no scanner is connected")
        health.scanners = 2
        health.deaf = 1
        #expect(health.words == "listening")
        health.deaf = 2
        #expect(health.words == "the scanner cannot listen")
        health.socket = .failed("there is no room")
        #expect(health.words == "there is no room")
        health.received()
        health.dropped("nonsense")
        #expect(health.advertisements == 1 && health.dropped == 1 && health.fault == "nonsense")
    }
}

internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationSources

/// Goal: reports to people about a receiver are true and name the cause.
@Suite struct ReceiverReaderTests {
    private static func at(_ seconds: Double) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    private static let tpv = #"{"class":"TPV","mode":3,"lat":53.5,"lon":9.9,"altMSL":6.0,"eph":17.1}"# + "\n"
    private static let version = #"{"class":"VERSION","release":"3.22","proto_major":3,"proto_minor":14}"# + "\n"

    private static func fixes(_ events: [ReceiverReader.Event]) -> Int {
        events.count { if case .measured(.fix) = $0 { true } else { false } }
    }

    @Test func aReceiverThatDeliversAndThenHangsIsSilent() {
        var reader = ReceiverReader(.gpsd, now: Self.at(0))
        #expect(reader.health.condition(now: Self.at(1)).condition == .connecting)
        #expect(reader.health.condition(now: Self.at(3.1)).condition == .silent)
        #expect(reader.feed(Self.version.utf8, now: Self.at(1)) == [.ready])
        #expect(reader.health.condition(now: Self.at(1)) == (.searching, Self.at(0)))
        for second in 2...9 { #expect(Self.fixes(reader.feed(Self.tpv.utf8, now: Self.at(Double(second)))) == 1) }
        #expect(reader.health.condition(now: Self.at(9)) == (.delivering, Self.at(2)))
        #expect(reader.health.rate.map { abs($0 - 1) < 0.001 } == true)
        #expect(reader.health.condition(now: Self.at(15)) == (.silent, Self.at(9)))
    }

    @Test func aTunnelIsSearchedIn() {
        var reader = ReceiverReader(.gpsd, now: Self.at(0))
        _ = reader.feed(Self.tpv.utf8, now: Self.at(1))
        for second in 2...20 { _ = reader.feed("{\"class\":\"TPV\",\"mode\":1}\n".utf8, now: Self.at(Double(second))) }
        #expect(reader.health.condition(now: Self.at(20)) == (.searching, Self.at(1)))
    }

    @Test func aWrongProtocolIsNamed() {
        var reader = ReceiverReader(.gpsd, now: Self.at(0))
        #expect(reader.feed("SSH-2.0-OpenSSH_9.2\n".utf8, now: Self.at(1)).isEmpty)
        guard case .unintelligible(let fault?) = reader.health.condition(now: Self.at(1)).condition else {
            Issue.record("not said to be unintelligible")
            return
        }
        #expect(fault.contains("is the other side really gpsd?"))
    }

    @Test func wrongChecksumsAreNamed() {
        var reader = ReceiverReader(.nmea, now: Self.at(0))
        let wrong = "$GPGGA,120000,5332.75,N,00957.98,E,1,09,0.9,6.0,M,40.0,M,,*00\r\n"
        // The first line may have been cut when the serial line was opened.
        _ = reader.feed(wrong.utf8, now: Self.at(1))
        #expect(reader.health.condition(now: Self.at(1)).condition == .connecting)
        _ = reader.feed(wrong.utf8, now: Self.at(1))
        guard case .unintelligible(let fault?) = reader.health.condition(now: Self.at(1)).condition else {
            Issue.record("not said to be unintelligible")
            return
        }
        #expect(fault.contains("check the line's speed and cable") && reader.health.faultCount == 1)
    }

    @Test func anUnpluggedReceiverIsMissed() {
        var reader = ReceiverReader(.gpsd, now: Self.at(0))
        let found =
            #"{"class":"DEVICE","path":"/dev/ttyUSB0","driver":"u-blox","activated":"2026-11-21T07:51:01.269Z"}"#
        #expect(reader.feed((found + "\n").utf8, now: Self.at(1)) == [.ready])
        #expect(reader.health.driver == "u-blox" && reader.health.device == "/dev/ttyUSB0")
        let lost = "{\"class\":\"DEVICE\",\"path\":\"/dev/ttyUSB0\",\"activated\":0}\n"
        #expect(reader.feed(lost.utf8, now: Self.at(2)) == [.lost("gpsd lost its receiver")])
        #expect(reader.health.condition(now: Self.at(9)).condition == .noReceiver)
        #expect(
            reader.feed("{\"class\":\"DEVICES\",\"devices\":[]}\n".utf8, now: Self.at(9)) == [
                .lost("gpsd has no receiver")
            ]
        )
    }

    /// Goal: losing one of two receivers does not report to apps that there is no location.
    @Test func oneOfTwoReceiversMayBeLost() {
        var reader = ReceiverReader(.gpsd, now: Self.at(0))
        for path in ["/dev/a", "/dev/b"] {
            let found = #"{"class":"DEVICE","path":"\#(path)","activated":"2026-11-21T07:51:01.269Z"}"#
            _ = reader.feed((found + "\n").utf8, now: Self.at(1))
        }
        #expect(
            reader.feed("{\"class\":\"DEVICE\",\"path\":\"/dev/a\",\"activated\":0}\n".utf8, now: Self.at(2)).isEmpty
        )
    }

    /// Goal: a command that gpsd refuses does not count as a loss of the receiver.
    @Test func whatGPSDReportsIsAFaultAndNoLoss() {
        var reader = ReceiverReader(.gpsd, now: Self.at(0))
        #expect(reader.feed("{\"class\":\"ERROR\",\"message\":\"no\"}\n".utf8, now: Self.at(1)).isEmpty)
        #expect(reader.health.fault == "gpsd reports: no")
    }

    @Test func theWayIsTold() {
        var health = ReceiverHealth()
        #expect(health.condition(now: Self.at(1)).condition == .off)
        health.connecting(now: Self.at(1))
        #expect(health.condition(now: Self.at(2)) == (.connecting, Self.at(1)))
        health.failed("gone", now: Self.at(2))
        health.connecting(now: Self.at(3))
        health.failed("gone", now: Self.at(4))
        #expect(health.condition(now: Self.at(5)) == (.unreachable("gone"), Self.at(2)), "since the first")
        health.opened(now: Self.at(6))
        #expect(health.condition(now: Self.at(6)) == (.connecting, Self.at(6)))
        #expect(health.condition(now: Self.at(10)) == (.silent, Self.at(6)))
        health.switchedOff(now: Self.at(7))
        #expect(health.condition(now: Self.at(8)) == (.off, Self.at(7)))
    }
}

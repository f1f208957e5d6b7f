internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationSources

/// Goal: a playback moves the device as recorded, and no sequence of calls loses the position.
@Suite struct PlaybackTests {
    private static func at(_ seconds: Double) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    /// A device that moves north by 1e-5 degrees each second, at 2 m/s; nothing is received from second 4 to 20.
    private static let tunnel = try? Recording(
        Array(
            ([0, 1, 2, 3, 4, 20, 21] as [Int]).map { second in
                let time = "2026-11-21T07:51:\(second < 10 ? "0" : "")\(second).000Z"
                let place = "\"lat\":\(50 + Double(second) * 1e-5),\"lon\":9,\"speed\":2,\"track\":0,\"eph\":17.1"
                return "{\"class\":\"TPV\",\"mode\":3,\"time\":\"\(time)\",\(place)}\n"
            }.joined().utf8
        )
    )

    private static let route = try? Recording(
        Array(#"<gpx><rte><rtept lat="0" lon="179.9999"/><rtept lat="0" lon="-179.9999"/></rte></gpx>"#.utf8)
    )

    /// Plays for a while; returns the reports with their times and northings in seconds.
    private static func play(
        _ playback: inout Playback,
        until end: Double
    ) -> [(told: Double, fix: SourceFix, age: Duration)] {
        var told: [(Double, SourceFix, Duration)] = []
        while let deadline = playback.deadline, deadline <= self.at(end) {
            guard case .tell(let fix, let age) = playback.deadlineReached(now: deadline) else { continue }
            told.append((deadline.sinceStart / .seconds(1), fix, age))
        }
        return told
    }

    private static func second(_ fix: SourceFix) -> Double { ((fix.latitude - 50) * 1e8).rounded() / 1000 }

    private static func playback(_ change: (inout Playback.Settings) -> Void = { _ in }) throws -> Playback {
        var settings = Playback.Settings()
        change(&settings)
        var playback = Playback(try #require(Self.tunnel), settings, now: Self.at(100))
        playback.started(now: Self.at(100))
        return playback
    }

    @Test func itIsPlayedInItsTimeWithItsTunnelAndAgain() throws {
        var playback = try Self.playback()
        let told = Self.play(&playback, until: 124)
        #expect(told.map { $0.told - 100 } == [0, 1, 2, 3, 4, 20, 21, 22, 23, 24])
        #expect(told.map { Self.second($0.fix) } == [0, 1, 2, 3, 4, 20, 21, 0, 1, 2])
        #expect(told.allSatisfy { $0.fix.speed == 2 && $0.age == .zero })
    }

    @Test func onceMeansStayingAtTheEnd() throws {
        var playback = try Self.playback { $0.loops = false }
        let told = Self.play(&playback, until: 124)
        #expect(told.map { $0.told - 100 } == [0, 1, 2, 3, 4, 20, 21, 22, 23, 24])
        #expect(told.map { Self.second($0.fix) } == [0, 1, 2, 3, 4, 20, 21, 21, 21, 21])
        #expect(told.suffix(3).allSatisfy { $0.fix.speed == 0 && $0.fix.course == nil })
        #expect(playback.position(now: Self.at(500)) == .seconds(21))
    }

    @Test func fasterIsFasterInEveryRespect() throws {
        var playback = try Self.playback { $0.speed = 2 }
        let told = Self.play(&playback, until: 103)
        #expect(told.map { $0.told - 100 } == [0, 0.5, 1, 1.5, 2])
        #expect(told.allSatisfy { $0.fix.speed == 4 })
        var fast = try Self.playback { $0.speed = 1000 }
        #expect(Self.play(&fast, until: 110).count <= 101, "ten positions a second at most")
    }

    /// Goal: a slow recording does not count as a loss of reception, but its tunnel does.
    @Test func slowerTellsTheWayBetween() throws {
        var playback = try Self.playback { $0.speed = 0.25 }
        let told = Self.play(&playback, until: 117)
        #expect(told.map { $0.told - 100 } == (0...16).map(Double.init))
        #expect(told.map { Self.second($0.fix) } == (0...16).map { Double($0) / 4 })
        #expect(Self.play(&playback, until: 179).isEmpty)
    }

    @Test func aRouteIsWalkedAroundTheWorldsSeam() throws {
        var playback = Playback(try #require(Self.route), .init(), now: Self.at(0))
        playback.started(now: Self.at(0))
        let told = Self.play(&playback, until: 15)
        #expect(told.count >= 14 && told.allSatisfy { abs(abs($0.fix.longitude) - 180) <= 0.000_101 })
        #expect(told.contains { $0.fix.longitude > 0 } && told.contains { $0.fix.longitude < 0 })
    }

    @Test func pausingStandsStillAndGoesOnFromThere() throws {
        var playback = try Self.playback()
        _ = Self.play(&playback, until: 102)
        playback.paused(true, now: Self.at(102.5))
        let told = Self.play(&playback, until: 106)
        #expect(told.map { $0.told - 100 } == [2.5, 3.5, 4.5, 5.5])
        #expect(told.allSatisfy { Self.second($0.fix) == 2.5 && $0.fix.speed == 0 && $0.fix.course == nil })
        playback.paused(false, now: Self.at(106))
        #expect(Self.play(&playback, until: 108).map { Self.second($0.fix) } == [3, 4])
    }

    @Test func pausingInATunnelIsDark() throws {
        var playback = try Self.playback()
        _ = Self.play(&playback, until: 110)
        playback.paused(true, now: Self.at(112))
        #expect(Self.play(&playback, until: 130).isEmpty)
    }

    @Test func anotherSpeedGoesOnFromHere() throws {
        var playback = try Self.playback()
        _ = Self.play(&playback, until: 102)
        playback.speedChanged(to: 0.5, now: Self.at(102))
        #expect(playback.position(now: Self.at(104)) == .seconds(3))
        #expect(Self.play(&playback, until: 104).last.map { Self.second($0.fix) } == 3)
        playback.speedChanged(to: 10, now: Self.at(104))
        #expect(Self.play(&playback, until: 105.85).last.map { Self.second($0.fix) } == 21)
    }

    /// Goal: positions are delivered late but in order, with the time of their measurement.
    @Test func jitterDelaysAndKeepsTheOrder() throws {
        var playback = try Self.playback { $0.jitter = .seconds(3) }
        let told = Self.play(&playback, until: 150)
        #expect(zip(told, told.dropFirst()).allSatisfy { $0.told <= $1.told })
        #expect(told.contains { $0.age > .seconds(1) } && told.allSatisfy { $0.age <= .seconds(6) })
        for (moment, fix, age) in told.prefix(5) {
            #expect(abs(moment - age / .seconds(1) - 100 - Self.second(fix)) < 0.01)
        }
        var again = try Self.playback { $0.jitter = .seconds(3) }
        #expect(Self.play(&again, until: 150).map(\.told) == told.map(\.told))
    }

    /// Goal: the device moves while its receiver is off, and after the computer slept, old positions are not delivered
    /// in a burst.
    @Test func timeGoesOnUnheard() throws {
        var playback = try Self.playback()
        _ = Self.play(&playback, until: 101)
        playback.stopped()
        #expect(playback.deadline == nil && playback.deadlineReached(now: Self.at(102)) == .ignore)
        playback.started(now: Self.at(103))
        #expect(Self.play(&playback, until: 103).map { Self.second($0.fix) } == [3])
        #expect(playback.deadlineReached(now: Self.at(142.5)) == .ignore)
        #expect(Self.play(&playback, until: 143).map { Self.second($0.fix) } == [21])
    }

    @Test func aSpeedBeyondTheRangeTraps() async {
        await #expect(processExitsWith: .failure) {
            var settings = Playback.Settings()
            settings.speed = 0
            let recording = try Recording(Array("<wpt lat='1' lon='1'/>".utf8))
            _ = Playback(recording, settings, now: EngineInstant(sinceStart: .zero))
        }
    }
}

internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Tests for a sharer's app while others follow, as transcripts.
struct FollowingTests {
    /// One line per step, `@seconds input -> what is to be done`.
    ///
    /// `look 2:60 3:5` is the profile, where requests 2 and 3 follow for 60 and 5 minutes; `look 2r:60` one for a reduced position. `at 20` is a fix 20 m
    /// north of the first one, `rest 20` one of a stationary device, `lost` none, `denied` the end of the permission. `posted 2` is the server's word
    /// with somebody looking, `posted 2 unseen` with nobody. Expected is `post(request run.count place silence)`.
    @Test(arguments: [
        // A walk: one update at a time for each step that is long enough, and keepalives in between.
        """
        @0 look 2:60 -> -
        @1 at 0 -> post(2 1.0 moving 90s)
        @2 at 10 -> -
        @2.5 posted 2 -> post(2 1.1 moving 90s)
        @2.6 posted 2 -> -
        @3.2 at 12 -> -
        @3.4 at 20 -> -
        @3.5 timer -> post(2 1.2 moving 90s)
        @3.6 posted 2 -> -
        @20 at 22 -> -
        @33 timer -> -
        @33.5 timer -> post(2 1.3 moving 90s)
        """,
        // Standing still is reported once, with its start, then a keepalive in five minutes; leaving is reported at
        // once.
        """
        @0 look 2:60 -> -
        @0 at 0 -> post(2 1.0 moving 90s)
        @0.1 posted 2 -> -
        @60 at 3 -> post(2 1.1 moving 90s)
        @60.1 posted 2 -> -
        @120 at 2 -> post(2 1.2 still(0) 3600s)
        @120.1 posted 2 -> -
        @200 at 4 -> -
        @419 timer -> -
        @420 timer -> post(2 1.3 still(0) 3600s)
        @421 posted 2 -> -
        @500 at 40 -> post(2 1.4 moving 90s)
        """,
        // The system's report that the device stands still counts at once.
        """
        @0 look 2:60 -> -
        @5 rest 0 -> post(2 1.0 still(5) 3600s)
        """,
        // A reduced position is reported at fixed times, whatever the device does.
        """
        @0 look 2r:60 -> -
        @0 at 0 -> post(2 1.0 cell 900s)
        @0.1 posted 2 -> -
        @100 at 40000 -> -
        @299 rest 40000 -> -
        @300 timer -> post(2 1.1 cell 900s)
        """,
        // No follower looks, so only keepalives are sent.
        """
        @0 look 2:60 -> -
        @0 at 0 -> post(2 1.0 moving 90s)
        @0.1 posted 2 unseen -> -
        @10 at 100 -> -
        @30 timer -> post(2 1.1 moving 90s)
        @30.1 posted 2 -> -
        @31 at 200 -> post(2 1.2 moving 90s)
        """,
        // If there is no position, the update says why.
        """
        @0 look 2:60 -> -
        @0 lost -> post(2 1.0 unknown 90s)
        @0.1 posted 2 -> -
        @0.2 lost -> -
        @1 at 0 -> post(2 1.1 moving 90s)
        """,
        // A server that is unreachable gets a newer position after a pause.
        """
        @0 look 2:60 -> -
        @0 at 0 -> post(2 1.0 moving 90s)
        @5 fail 2 -> -
        @6 at 50 -> -
        @6.9 timer -> -
        @7 timer -> post(2 1.1 moving 90s)
        """,
        // With five followers the app waits twice as long as with four.
        """
        @0 look 2:60 3:60 4:60 5:60 6:60 -> -
        @0 at 0 -> post(2 1.0 moving 90s) post(3 1.0 moving 90s) post(4 1.0 moving 90s) post(5 1.0 moving 90s) post(6 1.0 moving 90s)
        @0.1 posted 2 -> -
        @1 at 20 -> -
        @1.9 timer -> -
        @2 timer -> post(2 1.1 moving 90s)
        """,
        // The time of one live share is over, the other continues; the end of the last one is the app's.
        """
        @0 look 2:1 3:2 -> -
        @0 at 0 -> post(2 1.0 moving 90s) post(3 1.0 moving 90s)
        @0.1 posted 2 -> -
        @0.2 posted 3 -> -
        @30 timer -> post(2 1.1 moving 90s) post(3 1.1 moving 90s)
        @31 posted 2 -> -
        @59.9 timer -> -
        @60 timer -> end(2 time)
        @61 look 3:2 -> -
        @120 timer -> end(3 time)
        @121 look -> -
        @122 at 50 -> -
        """,
        // A live share ends before the next update if its grant was revoked, and no other follower is notified.
        """
        @0 look 2:60 -> -
        @0 at 0 -> post(2 1.0 moving 90s)
        @0.1 posted 2 -> -
        @1 revoke -> -
        @1.5 at 50 -> end(2 revoked)
        """,
        // The permission is gone, so every live share ends.
        """
        @0 look 2:60 3:60 -> -
        @1 denied -> end(2 paused) end(3 paused)
        """,
        // An end that the profile could not store, as on a full disk, is reported again. If that end was lost, the
        // numbers continue.
        """
        @0 look 2:60 -> -
        @0 at 0 -> post(2 1.0 moving 90s)
        @0.1 posted 2 -> -
        @1 denied -> end(2 paused)
        @2 look 2:60 -> end(2 paused)
        @3 at 50 -> -
        @40 look 2:60 -> post(2 1.1 moving 90s)
        """,
        // This includes live shares that are found only then.
        """
        @0 denied -> -
        @1 look 2:60 -> end(2 paused)
        """,
        // A live share that the person ended is gone at the next check; its updates come too late.
        """
        @0 look 2:60 3:60 -> -
        @0 at 0 -> post(2 1.0 moving 90s) post(3 1.0 moving 90s)
        @1 look 3:60 -> -
        @1.1 posted 2 -> -
        @1.2 posted 3 -> -
        @30 timer -> post(3 1.1 moving 90s)
        """,
    ]) func transcript(_ script: String) throws {
        let records = ModelRecords()
        var (machine, generator) = (Following(), MiddleGenerator())
        var followers: [Following.Follower] = []
        for step in try Step.read(script) {
            if step.words[0] == "revoke" {
                records.revoke(try makeRequest().value.grant.value.id)
                step.expect([])
                continue
            }
            let input = try Self.input(step.words, of: followers)
            if case .looked(let looked) = input { followers += looked }
            let effects = machine.handle(input, records, now: step.now, using: &generator)
            step.expect(effects.map(Self.text))
        }
    }

    @Test func whoComesBeyondTheBoundIsNotTold() throws {
        var (machine, generator) = (Following(), MiddleGenerator())
        let words = ["look"] + (1...UInt8(Following.followersMax) + 1).map { "\($0):60" }
        let looked = try Self.input(words.map { Substring($0) })
        #expect(machine.handle(looked, ModelRecords(), now: .at(0), using: &generator).isEmpty)
        let placed = Following.Input.placed(.fix(try Self.fix(metres: 0), isStationary: false))
        let effects = machine.handle(placed, ModelRecords(), now: .at(0), using: &generator)
        #expect(effects.count == Following.followersMax)
    }

    /// Goal: many followers cause no more posts than a few, and no follower mistakes the longer interval for a loss.
    @Test func manyFollowersShareThePace() throws {
        var (machine, generator) = (Following(), MiddleGenerator())
        let words = ["look"] + (1...UInt8(Following.followersMax)).map { "\($0):60" }
        _ = machine.handle(try Self.input(words.map { Substring($0) }), ModelRecords(), now: .at(0), using: &generator)
        var (posts, told) = (0, [RequestID: Int]())
        for second in 0..<320 {
            let place = Following.Input.placed(.fix(try Self.fix(metres: Double(second * 10)), isStationary: false))
            for effect in machine.handle(place, ModelRecords(), now: .at(Double(second)), using: &generator) {
                guard case .post(_, let request) = effect else { continue }
                posts += 1
                if let last = told[request.value.id] { #expect(second - last <= 33) }
                told[request.value.id] = second
                let posted = Following.Input.posted(request.value, isWatched: true)
                _ = machine.handle(posted, ModelRecords(), now: .at(Double(second)), using: &generator)
            }
        }
        #expect(told.count == Following.followersMax && posts <= 320 * 4 + Following.followersMax)
    }

    /// Goal: nothing is sent after an end that another process stored, although the app checks a second later.
    @Test func anEndHoldsBeforeTheNextLook() throws {
        var (machine, generator) = (Following(), MiddleGenerator())
        let records = ModelRecords()
        _ = machine.handle(try Self.input(["look", "1:60", "2:60"]), records, now: .at(0), using: &generator)
        records.end(try Self.follower("1:60").request.value)
        let placed = Following.Input.placed(.fix(try Self.fix(metres: 0), isStationary: false))
        let effects = machine.handle(placed, records, now: .at(0), using: &generator)
        #expect(effects.map(Self.text).count == 1 && machine.state == .followed)
    }

    @Test func nobodyFollowsAndTheAppIsDone() throws {
        var (machine, generator) = (Following(), MiddleGenerator())
        #expect(machine.state == .looking)
        #expect(machine.handle(.looked([]), ModelRecords(), now: .at(0), using: &generator).isEmpty)
        #expect(machine.state == .ended && machine.deadline == nil)
    }

    /// Goal: outside of the grant's hours nothing is sent, from the first minute on.
    @Test func theHoursOfTheGrantEndIt() throws {
        let minute = ZoneRule(offset: 0)?.minuteOfDay(at: noon) ?? 0
        let request = try makeRequest(
            hours: hoursInUTC(minute, minute + 10),
            followMinutesMax: 60,
            followMinutes: 60
        )
        var (machine, generator) = (Following(), MiddleGenerator())
        let looked = Following.Input.looked([.init(request: request.signed, run: 1)])
        _ = machine.handle(looked, ModelRecords(), now: .at(0), using: &generator)
        let placed = Following.Input.placed(.fix(try Self.fix(metres: 0), isStationary: false))
        let effects = machine.handle(placed, ModelRecords(), now: .at(600), using: &generator)
        #expect(effects == [.end(request.value, .time)])
    }

    private static func fix(metres: Double) throws -> SharedFix {
        try SharedFix(latitude: 52.52 + metres / 111_320, longitude: 13.4, horizontalAccuracy: 5, time: noon)
    }

    private static func input(
        _ words: [Substring],
        of followers: [Following.Follower] = []
    ) throws -> Following.Input {
        func metres() throws -> Double { Double(words[1]) ?? .nan }
        func request(_ number: Substring) throws -> Request {
            try #require(followers.last { "\($0.request.value.id.bytes[0])" == number }).request.value
        }
        switch words[0] {
        case "look": return .looked(try words.dropFirst().map(self.follower))
        case "at": return .placed(.fix(try self.fix(metres: metres()), isStationary: false))
        case "rest": return .placed(.fix(try self.fix(metres: metres()), isStationary: true))
        case "lost": return .placed(.unknown("no sky"))
        case "denied": return .placed(.denied)
        case "posted": return .posted(try request(words[1]), isWatched: words.count == 2)
        case "fail": return .attemptFailed(try request(words[1]))
        case "timer": return .deadlineReached
        default: throw FixtureError()
        }
    }

    private static func follower(_ text: Substring) throws -> Following.Follower {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let minutes = UInt16(parts[1]), let id = UInt8(parts[0].prefix { $0.isNumber }) else {
            throw FixtureError()
        }
        let request = try makeRequest(
            id,
            precision: parts[0].hasSuffix("r") ? .reduced : .full,
            until: after(86_400),
            followMinutesMax: 60,
            followMinutes: minutes
        )
        return .init(request: request.signed, run: 1)
    }

    private static func text(_ effect: Following.Effect) -> String {
        switch effect {
        case .post(let update, let request):
            let place: String =
                switch update.place {
                case .moving(let fix): fix.horizontalAccuracy == 5000 ? "cell" : "moving"
                case .still(_, let since): "still(\(noon.duration(to: since).components.seconds))"
                case .unknown: "unknown"
                }
            let number = "\(update.number.run).\(update.number.count)"
            return "post(\(request.value.id.bytes[0]) \(number) \(place) \(update.silenceMax)s)"
        case .end(let request, let reason): return "end(\(request.id.bytes[0]) \(reason))"
        }
    }
}

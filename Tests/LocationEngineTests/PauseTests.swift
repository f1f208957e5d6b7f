internal import Testing
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

@Suite struct PauseTests {
    private static let rule = StationaryPause.Rule(radius: 25_000, period: .seconds(300))
    private static let patience = Duration.seconds(5)

    private func fix(_ latitude: Int32, accuracy: Int32 = 3000) -> Fix {
        Fix(
            latitude: latitude,
            longitude: 14_000_000,
            horizontalAccuracy: accuracy,
            time: WallTime(seconds: 0),
            arrival: EngineInstant(sinceStart: .zero)
        )
    }

    private func at(_ seconds: Int) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    enum Start: CaseIterable {
        case unknown, settling, still

        func machine(_ test: PauseTests) -> StationaryPause {
            var machine = StationaryPause(rule: PauseTests.rule, patience: PauseTests.patience)
            if self == .unknown { return machine }
            machine.fixReceived(test.fix(0), now: test.at(0))
            if self == .still { machine.fixReceived(test.fix(100), now: test.at(300)) }
            return machine
        }
    }

    @Test(arguments: Start.allCases)
    func aMoveEndsStillness(_ start: Start) {
        var machine = start.machine(self)
        // 0.0003° are 33 m.
        for second in 395...400 { machine.fixReceived(self.fix(3000), now: self.at(second)) }
        #expect(!machine.isStill)
        let begin = start == .unknown ? 395 : 400
        machine.fixReceived(self.fix(3000), now: self.at(begin + 299))
        #expect(!machine.isStill)
        machine.fixReceived(self.fix(3000), now: self.at(begin + 300))
        #expect(machine.isStill)
    }

    /// Outliers that last less than the waiting period are ignored, however many there are.
    @Test(arguments: [Start.settling, .still]) func whatReturnsInTimeDidNotLeave(_ start: Start) {
        var machine = start.machine(self)
        for round in 0..<3 {
            let begin = (start == .settling ? 100 : 400) + 10 * round
            for tenth in 0..<50 {
                let instant = EngineInstant(sinceStart: .milliseconds(begin * 1000 + tenth * 100))
                machine.fixReceived(self.fix(3000), now: instant)
                #expect(machine.isDoubtful == (start == .still))
            }
            machine.fixReceived(self.fix(0), now: self.at(begin + 5))
            #expect(!machine.isDoubtful && machine.isStill == (start == .still))
        }
        machine.fixReceived(self.fix(0), now: self.at(start == .settling ? 300 : 430))
        #expect(machine.isStill)
    }

    /// If a receiver rarely has a fix, the second one at another place is accepted.
    @Test func rareFixesAreBelievedSoonerInNumberAndLaterInTime() {
        var machine = Start.still.machine(self)
        machine.fixReceived(self.fix(3000), now: self.at(600))
        #expect(machine.isStill)
        machine.fixReceived(self.fix(3000), now: self.at(900))
        #expect(!machine.isStill)
    }

    /// The last fix of a walk is not used as the place of the stay.
    @Test func theMiddleOfAStayIsWhereTheDeviceCameToRest() {
        var machine = StationaryPause(rule: Self.rule, patience: Self.patience)
        // 20 m in the first 20 s, then at rest.
        for second in 0...300 { machine.fixReceived(self.fix(Int32(min(second, 20) * 90)), now: self.at(second)) }
        guard case .still(let middle) = machine.state else {
            Issue.record("not still: \(machine.state)")
            return
        }
        #expect(abs(middle.latitude - 1800) < 90)
    }

    /// A fix with much less accuracy than the others does not move the center.
    @Test func whatIsMoreUncertainThanTheFirstMovesNothing() {
        var circle = StillCircle(self.fix(0))
        circle.add(self.fix(1000, accuracy: 26_000), radius: 25_000)
        #expect(circle.middle.latitude == 0)
        circle.add(self.fix(1000, accuracy: 25_000), radius: 25_000)
        #expect(circle.middle.latitude == 500)
    }

    @Test(arguments: [1_799_999_995, -1_799_999_995] as [Int32])
    func theMiddleIsFoundAcrossTheLineWhereEastBecomesWest(_ longitude: Int32) {
        var first = self.fix(0)
        first.longitude = longitude
        var other = first
        other.longitude = -longitude
        var circle = StillCircle(first)
        circle.add(other, radius: 25_000)
        #expect(abs(circle.middle.longitude) > 1_799_999_994)
    }

    @Test(arguments: Start.allCases)
    func stayingIsStillnessAfterThePeriod(_ start: Start) {
        var machine = start.machine(self)
        machine.fixReceived(self.fix(100), now: self.at(301))
        #expect(machine.isStill == (start != .unknown))
    }

    /// The shortcuts that avoid a geodesic computation decide as it does.
    @Test(arguments: [0, 300_000_000, 539_000_000, 890_000_000] as [Int])
    func nearAndFarAreDecidedAsByTheGeodesic(_ latitude: Int) {
        func fix(_ point: QuantizedCoordinate) -> Fix {
            var fix = self.fix(point.latitude)
            fix.longitude = point.longitude
            return fix
        }
        let anchor = QuantizedCoordinate(latitude: latitude, longitude: 1_799_999_990)
        var draw: UInt64 = 1
        func offset() -> Int {
            // Knuth's MMIX generator; only its high bits are random enough.
            draw = draw &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(draw >> 33) % 6000 - 3000
        }
        for _ in 0..<2000 {
            // Across the antimeridian.
            let east = 1_799_999_990 + offset()
            let point = QuantizedCoordinate(
                latitude: latitude + offset(),
                longitude: east > 1_800_000_000 ? east - 3_600_000_000 : east
            )
            var machine = StationaryPause(rule: Self.rule, patience: Self.patience)
            machine.fixReceived(fix(anchor), now: self.at(0))
            machine.fixReceived(fix(point), now: self.at(1))
            machine.fixReceived(fix(point), now: self.at(6))
            machine.fixReceived(fix(point), now: self.at(300))
            let distance = Geodesic.inverse(from: anchor.coordinate, to: point.coordinate).distance
            // A device that left the circle at 6 s does not count as still at 300 s.
            #expect(machine.isStill == (distance.millimeters <= 25_000))
        }
    }

    @Test(arguments: Start.allCases)
    func whatIsLostIsUnknown(_ start: Start) {
        var machine = start.machine(self)
        machine.lost()
        #expect(!machine.isStill)
        #expect(machine == Start.unknown.machine(self))
    }

    @Test func anUncertainFixDoesNotLookLikeAMove() {
        var machine = Start.still.machine(self)
        machine.fixReceived(self.fix(3000, accuracy: 50_000), now: self.at(400))
        #expect(machine.isStill)
    }

    /// An app in the foreground that reads live updates.
    private func reading(_ service: Service = .live(.default)) -> Device {
        var device = Device(.whileUsing)
        device.connect(1)
        device.declare(1, Declaration(streams: [.init(id: 5, service: service)]))
        return device
    }

    @Test func aStillDeviceGivesOneUpdateThatSaysSoAndThenNone() {
        var device = self.reading()
        var said: [Update] = []
        var plain = 0
        for _ in 0..<400 {
            device.pass(1)
            device.fix()
            for update in device.updates(to: 1) {
                if update.diagnostics.isEmpty { plain += 1 } else { said.append(update) }
            }
        }
        #expect(said.map(\.diagnostics) == [.stationary])
        #expect(said.first?.fix != nil)
        #expect(plain == 300)
        // The device moves, so updates resume by themselves.
        for second in 0...5 {
            device.pass(1)
            device.fix(latitude: 425_010_000)
            #expect(device.updates(to: 1).map(\.diagnostics) == (second < 5 ? [] : [[]]))
        }
    }

    /// A stream that begins while the newest fix is an outlier gets that fix, and the stay when the fixes are back.
    @Test func aStreamThatBeginsInDoubtIsNotToldThatTheDeviceStandsThere() {
        var device = self.reading()
        for _ in 0..<320 {
            device.pass(1)
            device.fix()
        }
        device.pass(1)
        device.fix(latitude: 425_010_000)
        #expect(device.updates(to: 1).isEmpty)
        device.declare(1, streams: [5, 6])
        #expect(device.updates(to: 1).map(\.diagnostics) == [[]])
        device.pass(1)
        device.fix()
        #expect(device.updates(to: 1).map(\.diagnostics) == [.stationary])
    }

    @Test func aStreamThatBeginsOnAStillDeviceIsServedAtOnce() {
        var device = self.reading()
        for _ in 0..<320 {
            device.pass(1)
            device.fix()
        }
        device.declare(1, streams: [5, 6])
        #expect(device.updates(to: 1).map(\.diagnostics) == [.stationary])
        #expect(device.updates(to: 1).first?.fix != nil)
    }

    @Test func aLossOfTheLocationEndsThePause() {
        var device = self.reading()
        for _ in 0..<320 {
            device.pass(1)
            device.fix()
        }
        device.feed(.sensed(.lost(.receiver)))
        #expect(device.updates(to: 1) == [.unavailable(.locationUnavailable)])
        device.fix()
        #expect(device.updates(to: 1).map(\.diagnostics) == [[]])
    }

    @Test(
        arguments: [
            (Service.live(.default), 300), (.live(.automotiveNavigation), 600), (.live(.otherNavigation), 600),
            (.live(.fitness), 300), (.live(.airborne), 600), (.standard(StandardOptions()), 300),
            (.standard(StandardOptions(pausesAutomatically: false)), Int.max),
        ]
    )
    func theConfigurationSaysHowLong(_ service: Service, _ seconds: Int) {
        var device = self.reading(service)
        var paused: Int?
        for second in 0..<700 where paused == nil {
            device.fix()
            if device.updates(to: 1).contains(where: { $0.diagnostics == .stationary }) { paused = second }
            device.pass(1)
        }
        #expect(paused ?? .max == seconds)
    }

    /// An app whose manager was paused: the device stood still for the period.
    private func paused(_ options: StandardOptions = StandardOptions()) -> Device {
        var device = Device(.whileUsing)
        device.connect(1, isManaged: true)
        device.declare(1, Declaration(streams: [.init(id: 5, service: .standard(options))]))
        if options.allowsBackground { device.feed(.phaseChanged(Device.app, .background)) }
        for _ in 0...300 {
            device.fix()
            device.pass(1)
        }
        return device
    }

    /// Documented: after a pause it is the app's responsibility to restart services; they do not resume by themselves.
    @Test func aManagersPauseEndsItsUpdatesAndTheReceiverRests() {
        var device = self.paused()
        var effects: [Engine.Effect] = []
        for _ in 0..<40 {
            device.fix(latitude: 425_010_000)
            effects += device.effects + device.pass(1)
        }
        #expect(!effects.contains { if case .tell(_, .update) = $0 { true } else { false } })
        #expect(effects.contains(.sensor(.receiver, isOn: false)))
    }

    /// A restart during the pause, possibly with less accuracy, is not paused at once; this is its documented use.
    @Test func aManagerThatBeginsAnewIsServedForAWholePeriod() {
        var device = self.paused()
        device.declare(1, Declaration(streams: [.init(id: 6, service: .standard(StandardOptions()))]))
        var told = device.updates(to: 1)
        for _ in 0..<299 {
            device.fix()
            told += device.updates(to: 1)
            device.pass(1)
        }
        #expect(told.count > 290 && told.allSatisfy { $0.diagnostics.isEmpty })
        device.pass(1)
        device.fix()
        #expect(device.updates(to: 1).map(\.diagnostics) == [.stationary])
    }

    /// Documented: with "while using", a pause ends access until the app is launched again, unless it restarts at once.
    @Test func aPauseEndsWhatKeptTheAppInUse() {
        let options = StandardOptions(allowsBackground: true)
        var device = self.paused(options)
        #expect(device.engine.shownIndicators.isEmpty)
        var prompt = device
        prompt.declare(1, Declaration(streams: [.init(id: 6, service: .standard(options))]))
        #expect(!prompt.engine.shownIndicators.isEmpty)
        prompt.fix()
        #expect(prompt.updates(to: 1).map(\.diagnostics) == [[]])
        #expect(device.pass(20).contains(.process(.freeze(Device.app))))
        device.feed(.phaseChanged(Device.app, .foreground))
        device.declare(1, Declaration(streams: [.init(id: 6, service: .standard(options))]))
        device.fix()
        #expect(device.updates(to: 1).map(\.diagnostics) == [[]])
    }

    /// Documented (WWDC23): an app that ended is launched again as soon as updates are available, that is, when it moves.
    @Test func aPausedAppThatEndedIsLaunchedByMovement() {
        var device = Device(.always)
        device.connect(1, isManaged: true)
        device.declare(1, streams: [5], activities: [(2, .backgroundSession)])
        device.feed(.phaseChanged(Device.app, .background))
        for _ in 0..<330 {
            device.fix()
            device.pass(1)
        }
        device.feed(.clientVanished(ClientID(1)))
        device.pass(1)
        device.feed(.appExited(Device.app, .signalled(9)))
        var effects = device.effects
        for _ in 0..<600 {
            device.fix()
            effects += device.effects + device.pass(1)
        }
        func isLaunch(_ effect: Engine.Effect) -> Bool {
            if case .process(.launchApp) = effect { true } else { false }
        }
        #expect(!effects.contains(where: isLaunch))
        #expect(effects.contains(.sensor(.receiver, isOn: false)), "the receiver rests")
        effects = []
        for _ in 0..<40 where !effects.contains(where: isLaunch) {
            device.fix(latitude: 425_010_000)
            effects += device.effects + device.pass(1)
        }
        #expect(effects.contains(where: isLaunch))
    }

    @Test func aPausedAppIsSuspendedAndResumedByMovement() {
        var device = Device(.whileUsing)
        device.connect(1, isManaged: true)
        device.declare(1, streams: [5], activities: [(2, .backgroundSession)])
        device.feed(.phaseChanged(Device.app, .background))
        var frozen = false
        for _ in 0..<330 {
            frozen = device.pass(1).contains(.process(.freeze(Device.app))) || frozen
            device.fix()
        }
        #expect(frozen)
        #expect(device.status?.process == .suspended)
        for _ in 0...5 {
            #expect(!device.effects.contains(.process(.thaw(Device.app))))
            device.pass(1)
            device.fix(latitude: 425_010_000)
        }
        #expect(device.effects.contains(.process(.thaw(Device.app))))
        #expect(device.updates(to: 1).map(\.diagnostics) == [[]])
    }
}

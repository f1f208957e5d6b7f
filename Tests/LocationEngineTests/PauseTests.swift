internal import Geodesy
internal import Testing
internal import Vocabulary

@testable internal import LocationEngine

/// Still devices.
@Suite struct PauseTests {
    private static let rule = StationaryPause.Rule(radius: 25_000, period: .seconds(300))

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
            var machine = StationaryPause(rule: PauseTests.rule)
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
        machine.fixReceived(self.fix(3000), now: self.at(400))
        #expect(!machine.isStill)
        machine.fixReceived(self.fix(3000), now: self.at(699))
        #expect(!machine.isStill)
        machine.fixReceived(self.fix(3000), now: self.at(700))
        #expect(machine.isStill)
    }

    @Test(arguments: Start.allCases)
    func stayingIsStillnessAfterThePeriod(_ start: Start) {
        var machine = start.machine(self)
        machine.fixReceived(self.fix(100), now: self.at(301))
        #expect(machine.isStill == (start != .unknown))
    }

    /// The shortcuts that spare a geodesic decide as it does.
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
            // Knuth's MMIX generator; the high bits are the good ones.
            draw = draw &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(draw >> 33) % 6000 - 3000
        }
        for _ in 0..<2000 {
            // Across the line where east becomes west.
            let east = 1_799_999_990 + offset()
            let point = QuantizedCoordinate(
                latitude: latitude + offset(),
                longitude: east > 1_800_000_000 ? east - 3_600_000_000 : east
            )
            var machine = StationaryPause(rule: Self.rule)
            machine.fixReceived(fix(anchor), now: self.at(0))
            machine.fixReceived(fix(point), now: self.at(1))
            machine.fixReceived(fix(point), now: self.at(300))
            let distance = Geodesic.inverse(from: anchor.coordinate, to: point.coordinate).distance
            // A device that left the circle at 1 s is not still at 300 s.
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
        var device = Device()
        device.feed(.authorizationSet(Device.app, .whileUsing))
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
        // It moves: updates go on by themselves.
        device.pass(1)
        device.fix(latitude: 425_010_000)
        #expect(device.updates(to: 1).map(\.diagnostics) == [[]])
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

    @Test func aPausedAppIsSuspendedAndResumedByMovement() {
        var device = Device()
        device.feed(.authorizationSet(Device.app, .whileUsing))
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
        device.pass(1)
        device.fix(latitude: 425_010_000)
        #expect(device.effects.contains(.process(.thaw(Device.app))))
        #expect(device.updates(to: 1).map(\.diagnostics) == [[]])
    }
}

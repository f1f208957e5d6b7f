internal import CoreLocation
internal import Testing

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

/// Tests for oddities of conditions on real devices, each with its ``Quirk``.
@Suite(.showsTimelines) struct ConditionQuirkTests {
    private let device = VirtualDevice()

    private func opened(_ what: AppUnderTest = .reminders) -> VirtualApp {
        let app = self.device.install(what)
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.advance(by: .seconds(30))
        return app
    }

    private func states(_ app: VirtualApp, of identifier: String) -> [CLMonitor.Event.State] {
        app.read { (it: Reminders) in it.crossings.filter { $0.identifier == identifier }.map(\.state) } ?? []
    }

    @Test(arguments: [true, false]) func aConditionAddedAgainIsIgnored(_ isIgnored: Bool) {
        if isIgnored { self.device.quirks = [.ignoresConditionsAddedAgain] }
        let app = self.opened()
        app.read { (it: Reminders) in Task { await it.add("shop", radius: 5000) } }
        self.device.advance(by: .seconds(60))
        #expect(self.states(app, of: "shop") == (isIgnored ? [] : [.satisfied]))
    }

    @Test(arguments: [true, false]) func aMonitorThatIsOpenTwiceEndsTheApp(_ ends: Bool) {
        if ends { self.device.quirks = [.endsAppAtSecondMonitor] }
        let app = self.opened()
        app.read { (it: Reminders) in Task { await it.openAgain() } }
        self.device.advance(by: .seconds(1))
        #expect((app.state == .notRunning) == ends)
    }

    @Test(arguments: [true, false]) func aSecondLoopEndsAtOnce(_ ends: Bool) {
        if ends { self.device.quirks = [.endsSecondLoop] }
        let app = self.opened()
        app.read { (it: Reminders) in Task { await it.readAgain() } }
        self.device.advance(by: .seconds(1))
        #expect(app.read { (it: Reminders) in it.secondLoopEnded } == ends)
    }

    @Test(arguments: [true, false]) func aCrossingBeyondTheLimitIsLost(_ isLost: Bool) {
        if isLost { self.device.quirks = [.losesCrossingsBeyondLimit] }
        let app = self.opened()
        app.read { (it: Reminders) in
            Task { for number in 0..<20 { await it.add("c\(number)", radius: 50) } }
        }
        self.device.advance(by: .seconds(10))
        #expect(self.states(app, of: "c19") == [.unmonitored])
        self.device.world.go(to: Reminders.shop, at: 10)
        self.device.advance(by: .seconds(400))
        app.read { (it: Reminders) in Task { await it.remove("c0") } }
        self.device.advance(by: .seconds(60))
        #expect(self.states(app, of: "c19") == (isLost ? [.unmonitored] : [.unmonitored, .satisfied]))
    }
}

internal import Testing

@testable internal import WhereaboutsLocationEngine

/// Tests for significant changes: about every 500 m, at most every five minutes, with a receiver that is mostly off;
/// and for launches.
@Suite struct SignificantChangeTests {
    private var launches: (Device) -> Int {
        { $0.effects.count { if case .process(.launchApp) = $0 { true } else { false } } }
    }

    @Test func theFirstPositionComesAtOnceAndThenTheReceiverRests() {
        var device = Device.travelling(.significantChanges)
        #expect(device.effects.contains(.sensor(.receiver, isOn: true)))
        device.live(north: 0, seconds: 3)
        #expect(device.updates(to: 1).count == 1 && device.engine.sensors[.receiver].isOff)
    }

    @Test func fiveHundredMetresAreAChangeAndFewerAreNone() {
        var device = Device.travelling(.significantChanges)
        device.live(north: 0, seconds: 310)
        device.live(north: 450, seconds: 1200)
        #expect(device.updates(to: 1).isEmpty)
        device.live(north: 520, seconds: 600)
        #expect(device.updates(to: 1).count == 1)
    }

    /// A drive of half an hour at 20 m/s, while another app keeps the receiver on.
    @Test func changesAreFiveMinutesApart() {
        var device = Device.travelling(.significantChanges)
        device.declare(
            1,
            Declaration(streams: [.init(id: 10, service: .significantChanges), .init(id: 11, service: .live(.default))])
        )
        var times: [Double] = []
        for second in 0..<1800 {
            device.live(north: Double(second) * 20, seconds: 1)
            for case .tell(_, .update(_, stream: 10)) in device.effects { times.append(device.seconds) }
        }
        #expect(times.count == 6)
        #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 >= 300 })
    }

    @Test func aDayAtHomeCostsTheReceiverOneSecondInAHundred() {
        var device = Device.travelling(.significantChanges)
        let on = device.live(north: 0, seconds: 86_400).on
        #expect(on < 864 && device.updates(to: 1).count == 1)
    }

    @Test func oneStrayFixIsNoChange() {
        var device = Device.travelling(.significantChanges)
        device.live(north: 0, seconds: 10)
        device.be(north: 5000, for: 1)
        #expect(device.updates(to: 1).isEmpty && !device.engine.sensors[.receiver].isOff, "a second one is awaited")
        device.live(north: 0, seconds: 900)
        #expect(device.updates(to: 1).isEmpty)
    }

    @Test func anAppThatWasTerminatedIsLaunchedAndBeginsAgain() {
        var device = Device.travelling(.significantChanges)
        device.live(north: 0, seconds: 10)
        device.terminate()
        device.live(north: 20, seconds: 900)
        #expect(self.launches(device) == 0)
        device.live(north: 2000, seconds: 400)
        #expect(self.launches(device) == 1)
        device.connect(2, phase: .background, isManaged: true)
        device.read(2, .significantChanges)
        #expect(device.updates(to: 2).count == 1, "the event that it was launched for")
        device.feed(.clientVanished(ClientID(2)))
        device.feed(.appExited(Device.app, .exited(0)))
        device.live(north: 2000, seconds: 900)
        #expect(self.launches(device) == 0, "it was told")
    }

    @Test func whoDoesNotBeginAgainIsToldNoMore() {
        var device = Device.travelling(.significantChanges)
        device.live(north: 0, seconds: 10)
        device.terminate()
        device.live(north: 2000, seconds: 400)
        device.connect(2, phase: .background, isManaged: true)
        device.declare(2)
        device.live(north: 2000, seconds: 10)
        device.feed(.clientVanished(ClientID(2)))
        device.feed(.appExited(Device.app, .exited(0)))
        let after = device.live(north: 9000, seconds: 1200)
        #expect(self.launches(device) == 0 && after.on == 0)
    }

    @Test func aPersonWhoAllowsWhileUsingIsNotFollowedUnseen() {
        var device = Device.travelling(.significantChanges, setting: .whileUsing)
        device.live(north: 0, seconds: 10)
        #expect(device.updates(to: 1).count == 1)
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(6)
        #expect(device.live(north: 2000, seconds: 900).on == 0)
        #expect(device.updates(to: 1).allSatisfy { $0.element == nil })
        device.terminate()
        #expect(device.live(north: 4000, seconds: 900).on == 0 && self.launches(device) == 0)
    }

    @Test func aStoppedAppGoesOnForAChange() {
        var device = Device.travelling(.significantChanges)
        device.live(north: 0, seconds: 10)
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(60)
        #expect(device.status?.process == .suspended)
        device.live(north: 2000, seconds: 600)
        #expect(device.effects.contains(.process(.thaw(Device.app))) && device.updates(to: 1).count == 1)
    }

    @Test func theBackgroundModeIsNotNeeded() {
        var manifest = Device.manifest
        manifest.mayRunInBackground = false
        var device = Device.travelling(.significantChanges, manifest: manifest)
        device.live(north: 0, seconds: 10)
        device.terminate()
        device.live(north: 2000, seconds: 600)
        #expect(self.launches(device) == 1)
    }

    @Test func aRestartTellsNothingTwice() {
        var device = Device.travelling(.significantChanges)
        device.live(north: 0, seconds: 10)
        device.terminate()
        var later = device.rebooted()
        later.live(north: 20, seconds: 900)
        #expect(self.launches(later) == 0)
        later.live(north: 2000, seconds: 600)
        #expect(self.launches(later) == 1)
    }

    @Test func anAppThatGoesOnWhileTheHostRestartsHearsNothingTwice() {
        var device = Device.travelling(.significantChanges)
        device.live(north: 0, seconds: 10)
        var later = device.restored(after: 5, running: [(Device.app, .foreground)])
        later.connect(2, isManaged: true)
        later.read(2, .significantChanges)
        later.live(north: 20, seconds: 900)
        #expect(later.updates(to: 2).isEmpty)
        later.live(north: 2000, seconds: 600)
        #expect(later.updates(to: 2).count == 1)
        // Stopped and started again: the newest change is delivered at once, as documented.
        later.declare(2)
        later.read(2, .significantChanges)
        later.live(north: 2000, seconds: 5)
        #expect(later.updates(to: 2).count == 1)
    }

    @Test func anAppThatKnowsApproximatelyIsToldACellAndNotTwice() {
        var device = Device.travelling(.significantChanges)
        device.feed(.accuracySet(Device.app, precise: false))
        device.live(north: 0, seconds: 60)
        #expect(device.updates(to: 1).map(\.diagnostics) == [.accuracyLimited])
        device.live(north: 900, seconds: 7200)
        let within = device.updates(to: 1).count
        #expect(within <= 1, "the cell is 5 km wide")
        device.live(north: 20_000, seconds: 3600)
        #expect(device.updates(to: 1).count == 1)
    }

    @Test func aRefusalIsToldAndEndsTheLooks() {
        var device = Device.travelling(.significantChanges)
        device.live(north: 0, seconds: 10)
        device.feed(.authorizationSet(Device.app, .never))
        #expect(device.updates(to: 1).map(\.diagnostics) == [.authorizationDenied])
        #expect(device.live(north: 5000, seconds: 900).on == 0)
    }

    @Test func alwaysOnTrialIsAskedAboutForAChange() {
        var device = Device()
        device.connect(1, isManaged: true)
        device.feed(.authorizationRequested(ClientID(1), .always))
        device.answer(.allowWhileUsing(precise: true))
        device.read(1, .significantChanges)
        device.live(north: 0, seconds: 10)
        device.feed(.phaseChanged(Device.app, .background))
        device.live(north: 2000, seconds: 600)
        #expect(device.asked == .confirmAlways)
    }
}

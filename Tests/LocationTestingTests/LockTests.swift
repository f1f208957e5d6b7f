internal import CoreLocation
internal import WhereaboutsLocationTesting

@testable internal import VirtualApps

/// Tests for a locked device, also before its first unlock, and for resetting its privacy settings.
@Suite(.showsTimelines) struct LockTests {
    private let device = VirtualDevice()

    private func recording() -> VirtualApp {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.run(until: "it is served") { app.isServed }
        return app
    }

    @Test func aWorkoutGoesOnWhileTheDeviceIsLocked() {
        let app = self.recording()
        let other = self.device.install(.weather)
        self.device.person.lock()
        #expect(app.state == .background && self.device.isLocked)
        self.device.world.walk(for: .seconds(600))
        let before = app.positionsGiven
        self.device.advance(by: .seconds(600))
        #expect(app.positionsGiven - before > 590 && app.showsIndicator)
        withKnownIssue {
            self.device.person.open(other)
        } matching: {
            $0.comments.contains { $0.rawValue.contains("the device is locked: call person.unlock() before") }
        }
        self.device.person.unlock()
        #expect(app.state == .foreground && other.state == .notRunning && !self.device.isLocked)
    }

    @Test func anAppThatEndedWhileLockedIsNotOpenedAgain() {
        let app = self.device.install(.weather)
        self.device.person.open(app)
        self.device.person.lock()
        app.terminate()
        self.device.person.unlock()
        self.device.advance(by: .seconds(1))
        #expect(app.launches == 1)
    }

    /// Apple, on CLMonitor: monitoring works only after the first unlock following a reboot.
    @Test func nothingIsMonitoredBeforeTheFirstUnlock() throws {
        let app = self.device.install(.reminders)
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.advance(by: .seconds(120))
        self.device.reboot(locked: true)
        #expect(self.device.isOn && self.device.isLocked)
        self.device.world.go(to: Reminders.shop, at: 1.4)
        self.device.world.stay(for: .seconds(86_400))
        self.device.advance(by: .seconds(7200))
        #expect(app.launches == 1 && self.device.whatEverythingWaitsFor.contains("person.unlock() would"))
        withKnownIssue {
            app.launchInBackground()
        } matching: {
            $0.comments.contains { $0.rawValue.contains("was not unlocked since it was switched on") }
        }
        self.device.person.unlock()
        self.device.run(until: "it reminds", within: .seconds(600)) { app.launches == 2 }
    }

    @Test func afterAResetEveryAppAsksAgain() {
        let app = self.recording()
        self.device.person.set(app, precise: false)
        self.device.person.answersNothing()
        self.device.person.resetLocationAndPrivacy()
        self.device.advance(by: .seconds(5))
        #expect(app.authorizationStatus == .notDetermined && app.isPrecise && !app.isServed)
        self.device.person.close(app)
        self.device.person.open(app)
        self.device.advance(by: .seconds(5))
        #expect(self.device.person.question?.question == .whenInUse)
        self.device.person.answer(.allowWhileUsing)
        self.device.run(until: "it is served again") { app.isServed }
    }
}

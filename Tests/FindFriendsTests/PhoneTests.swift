internal import CoreLocation
internal import Foundation
internal import WhereaboutsLocationTesting
internal import WhereaboutsSharingEngine

/// Tests the rows of "Why your location push does nothing" (docs/ios.md) with the example app, where a device can show
/// them.
@Suite(.showsTimelines) struct PhoneTests {
    private let all: Neighbourhood
    private var device: VirtualDevice { self.all.device }

    init() throws {
        self.all = try Neighbourhood()
    }

    /// The app was opened once, has Always, gave Bob a grant, and ended.
    private func shared(_ limits: GrantLimits = GrantLimits()) throws -> Signed<Grant> {
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(self.all.app)
        self.all.wait(for: "your friends can ask where you are")
        let grant = try self.all.approve(limits)
        self.device.person.leave(self.all.app)
        self.all.app.terminate()
        self.device.advance(by: .seconds(3600))
        return grant
    }

    /// Alice opens the app, which sends its token to the server.
    private func open() {
        self.device.person.open(self.all.app)
        self.device.advance(by: .seconds(30))
    }

    @Test func exampleMakesNoneOfTheMistakes() throws {
        let grant = try self.shared()
        #expect(try self.all.ask(grant).fix != nil)
        // The receiver stays on for a while, so the device could answer with its last position.
        self.device.advance(by: .seconds(300))
        self.device.world.loseSignal(for: .seconds(120))
        #expect(try self.all.ask(grant).unavailable != nil)
        self.device.quirks = [.replaysLastPlace]
        self.device.advance(by: .seconds(3600))
        #expect(try self.all.ask(grant).fix != nil)
        self.device.quirks = [.beginsInvalid]
        #expect(try self.all.ask(grant).fix != nil)
        #expect(self.all.app.pushMistakes == [])
    }

    @Test func deviceThatWasNotUnlockedAnswersAfterwards() throws {
        let grant = try self.shared()
        self.device.reboot(locked: true)
        let last = try #require(try self.all.ask(grant).last)
        #expect(last.state.kind == .unreachable && last.state.reason.contains("not unlocked since it started"))
        self.device.person.unlock()
        self.device.advance(by: .seconds(60))
        #expect(try self.all.ask(grant).fix != nil)
    }

    /// Goal: a locked keychain costs one answer, whose reason names the lock.
    @Test func lockedKeychainIsNamed() throws {
        let grant = try self.shared()
        self.all.keys.lock()
        #expect(try self.all.ask(grant).fix == nil)
        let lines = self.device.timeline.entries(of: "com.example.FindFriends's extension").map(\.text)
        #expect(lines.contains { $0.contains("not unlocked since it started") }, "\(lines)")
        self.all.keys.unlock()
        #expect(try self.all.ask(grant).fix != nil)
    }

    @Test func offloadedAppAnswersNobodyUntilItIsOpened() throws {
        let grant = try self.shared()
        self.all.app.offload()
        #expect(try self.all.ask(grant).fix == nil)
        #expect(!self.all.app.extensionRuns && self.all.app.state == .notRunning)
        // The push service answers 410 to a server that continues to send.
        let push = try self.device.push(to: self.all.app)
        self.device.advance(by: .seconds(1))
        #expect(push.outcome == .unregistered)
        self.open()
        #expect(try self.all.ask(grant).fix != nil)
    }

    @Test func changedTokenIsToldAtTheNextLaunch() throws {
        let grant = try self.shared()
        self.device.changePushTokens()
        #expect(try self.all.ask(grant).fix == nil)
        self.open()
        #expect(try self.all.ask(grant).fix != nil)
    }

    @Test func lowPowerModeHoldsPushesThatAreNotUrgent() throws {
        let grant = try self.shared()
        self.device.person.switchLowPowerMode(on: true)
        let later = try self.device.push(to: self.all.app, priority: .considerate)
        #expect(try self.all.ask(grant).fix != nil)
        #expect(later.outcome == .underWay)
        self.device.person.switchLowPowerMode(on: false)
        self.device.advance(by: .seconds(700))
        #expect(later.outcome != .underWay)
    }

    /// The extension answers, but the system does not launch the app, which would continue the live share.
    @Test func withoutBackgroundRefreshNobodyCanFollow() throws {
        let grant = try self.shared(GrantLimits(followMinutesMax: 60))
        self.device.person.switchBackgroundRefresh(of: self.all.app, on: false)
        #expect(try self.all.ask(grant).fix != nil)
        let launches = self.all.app.launches
        let updates = try self.all.follow(grant, minutes: 10)
        #expect(self.all.app.launches == launches)
        #expect(!updates.contains { if case .place = $0 { true } else { false } }, "\(updates)")
    }

    /// Goal: a device does not answer for a person who signed out, although the server still has the token.
    @Test func personWhoSignedOutIsNotAnsweredFor() throws {
        let grant = try self.shared()
        self.device.person.signOut(of: self.all.app)
        #expect(try self.all.ask(grant).fix == nil)
        let lines = self.device.timeline.entries(of: "com.example.FindFriends's extension").map(\.text)
        #expect(lines.contains { $0.contains("a push was not answered") }, "\(lines)")
    }

    @Test func spentBudgetIsSilence() throws {
        let grant = try self.shared()
        self.device.exhaustPushBudget()
        #expect(try self.all.ask(grant).fix == nil)
        #expect(!self.all.app.extensionRuns)
    }

    /// Goal: provisional Always looks like Always to the app, and the first push asks the person to confirm it.
    @Test func alwaysOnTrialIsSilenceUntilThePersonMeansIt() throws {
        let all = try Neighbourhood(asking: .manager)
        all.device.person.answers { question, _ in question == .whenInUse ? .allowWhileUsing : nil }
        all.device.person.open(all.app)
        all.wait(for: "your friends can ask where you are")
        let grant = try all.approve()
        all.device.person.leave(all.app)
        all.app.terminate()
        all.device.advance(by: .seconds(3600))
        #expect(try all.ask(grant).fix == nil)
        #expect(all.device.person.question?.question == .confirmAlways)
        all.device.person.answer(.allowAlways)
        #expect(try all.ask(grant).fix != nil)
    }

    /// Goal: an extension that the system kills costs one answer, and the next one succeeds.
    @Test func extensionWithoutMemoryAnswersTheNextRequest() throws {
        let grant = try self.shared()
        self.device.world.loseSignal(for: .seconds(10))
        let updates = try self.all.ask(grant) {
            self.device.run(until: "the extension runs") { self.all.app.extensionRuns }
            self.all.app.exhaustExtensionMemory()
        }
        #expect(updates.fix == nil, "\(updates)")
        let lines = self.device.timeline.entries(of: "com.example.FindFriends's extension").map(\.text)
        #expect(lines.contains { $0.contains("more memory than an extension may") }, "\(lines)")
        #expect(try self.all.ask(grant).fix != nil)
    }

    @Test(
        arguments: [
            (["aps-environment"], "the entitlement com.apple.developer.location.push is missing"),
            (["com.apple.developer.location.push"], "the entitlement aps-environment is missing"),
        ] as [(Set<String>, String)]
    )
    func missingEntitlementIsNamed(_ entitlements: Set<String>, _ words: String) throws {
        let all = try Neighbourhood(entitlements: entitlements)
        all.device.person.answersAll(.allowAlways)
        all.device.person.open(all.app)
        all.wait(for: words)
        #expect(try all.ask(all.approve()).fix == nil)
        #expect(all.pushes == 0)
    }

    @Test func whileUsingKeepsTheExtensionFromRunning() throws {
        _ = try self.shared()
        self.device.person.set(self.all.app, to: .whileUsing)
        let push = try self.device.push(to: self.all.app)
        self.device.advance(by: .seconds(60))
        #expect(push.outcome == .refused(.notAuthorized))
    }

    /// Goal: the gateway keeps a push for a device that is switched off, and the device answers when it is on again.
    @Test func deviceThatIsOffIsNotHeardOf() throws {
        let grant = try self.shared()
        self.device.switchOff()
        #expect(try self.all.ask(grant).last?.state.kind == .unreachable)
        self.device.switchOn()
        self.device.advance(by: .seconds(60))
        #expect(try self.all.ask(grant).fix != nil)
    }
}

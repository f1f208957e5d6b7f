internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Conditions: told when they change, once, also to an app that does not run, and kept over everything.
@Suite struct MonitorTests {
    // MARK: Events

    @Test func aConditionIsToldWhenItIsKnownAndWhenItChanges() throws {
        var device = Device.monitoring()
        #expect(device.opened() == [])
        device.add("home")
        #expect(device.effects.contains(.sensor(.receiver, isOn: true)), "it is looked for at once")
        device.be(north: 0)
        let first = try #require(device.events().first)
        #expect(first.identifier == "home" && first.state == .satisfied && first.diagnostics.isEmpty)
        #expect(device.events().count == 1)
        #expect(device.effects.first == .persist || device.effects.contains(.persist), "durable before it is told")
        device.change(1, 2, .handled(try #require(first.number)))
        device.pass(600)
        device.be(north: 500)
        #expect(device.events().map(\.state) == [.unsatisfied])
    }

    @Test func theRecordIsSavedBeforeAnEventIsTold() throws {
        var device = Device.monitoring()
        device.add("home")
        let effects = device.be(north: 0)
        let save = try #require(effects.firstIndex(of: .persist))
        let told = try #require(
            effects.firstIndex { if case .tell(_, .monitor(.event, _)) = $0 { true } else { false } }
        )
        #expect(save < told)
    }

    @Test func oneEventIsUnderWayAtATime() throws {
        var device = Device.monitoring()
        device.add("home", assuming: .unsatisfied)
        device.be(north: 0)
        let event = try #require(device.events().first)
        device.pass(300)
        device.be(north: 500)
        #expect(device.events().isEmpty, "the first was not handled")
        device.change(1, 2, .handled(try #require(event.number)))
        #expect(device.events().map(\.state) == [.unsatisfied])
    }

    @Test func aWrongAssumptionIsCorrectedAndARightOneIsNotRepeated() {
        var device = Device.monitoring()
        device.add("home", assuming: .satisfied)
        device.be(north: 0)
        #expect(device.events().isEmpty)
        device.add("far", Device.circle(north: 5000), assuming: .satisfied)
        device.be(north: 0)
        #expect(device.events().map(\.identifier) == ["far"])
        #expect(device.events().map(\.state) == [.unsatisfied])
    }

    @Test func theSameConditionAgainIsSilence() throws {
        var device = Device.monitoring()
        device.add("home")
        device.be(north: 0)
        device.change(1, 2, .handled(try #require(device.events().first?.number)))
        device.add("home", assuming: .unsatisfied)
        #expect(device.events().isEmpty)
        device.be(north: 0)
        #expect(device.events().isEmpty)
        device.add("home", Device.circle(radius: 90_000))
        device.be(north: 0)
        #expect(device.events().map(\.state) == [.satisfied], "another circle begins anew")
    }

    /// A process that was launched for a crossing adds its condition before it knows that the device has it, and passes over the event.
    @Test func anEventThatCameBeforeTheSameConditionWasAddedIsToldAgain() throws {
        var device = Device.monitoring()
        device.add("home", assuming: .unsatisfied)
        device.be(north: 0)
        let first = try #require(device.events().first?.number)
        device.add("home", assuming: .unknown)
        let again = try #require(device.events().first)
        #expect(again.state == .satisfied && again.number != first)
        device.change(1, 3, .handled(first))
        device.change(1, 4, .handled(try #require(again.number)))
        device.pass(300)
        device.be(north: 500)
        #expect(device.events().map(\.state) == [.unsatisfied])
    }

    @Test func nobodyIsToldWhoDoesNotRead() {
        var device = Device.monitoring()
        device.readMonitor(1, isRead: false)
        device.add("home")
        device.be(north: 0, for: 2)
        #expect(device.events().isEmpty)
        device.readMonitor(1)
        #expect(device.events().map(\.state) == [.satisfied])
    }

    /// SwiftUI ends a `.task`, and the loop in it, with its view; the monitor stays open.
    @Test func anEventOfAnOpenMonitorStaysPendingWhileNobodyReadsIt() {
        var device = Device.monitoring()
        device.readMonitor(1, isRead: false)
        device.add("home", assuming: .unsatisfied)
        device.be(north: 0)
        device.pass(3600)
        #expect(device.status?.conditions.map(\.reasons) == [[]])
        device.readMonitor(1)
        #expect(device.events().map(\.state) == [.satisfied])
    }

    @Test func anEventStaysPendingInAnAppThatAPersonOpenedWithoutTheMonitor() {
        var device = self.terminated()
        device.connect(2, isManaged: true)
        device.declare(2, sessions: [(1, .always)])
        device.be(north: 0)
        device.pass(3600)
        #expect(device.status?.conditions.map(\.reasons) == [[]])
        device.readMonitor(2)
        #expect(device.events(2).map(\.state) == [.satisfied])
    }

    @Test func anEventOfAnOpenMonitorStaysPendingAfterALaunchByTheDevice() {
        var device = self.terminated()
        device.pass(300)
        device.be(north: 0)
        device.connect(2, phase: .background, isManaged: true)
        device.readMonitor(2, isRead: false)
        device.pass(3600)
        #expect(device.status?.conditions.map(\.reasons) == [[]])
        device.feed(.phaseChanged(Device.app, .foreground))
        device.readMonitor(2)
        #expect(device.events(2).map(\.state) == [.satisfied])
    }

    // MARK: Limits

    @Test func twentyAreWatchedAndAFreedPlaceGoesToTheOldestThatWaits() {
        var device = Device.monitoring()
        for number in 0..<22 { device.add("c\(number)", Device.circle(north: 10_000 + Double(number) * 500)) }
        #expect(device.events().map(\.identifier) == ["c21"])
        #expect(device.events().first?.diagnostics == .conditionLimitExceeded)
        let waiting = device.status?.conditions.filter { !$0.reasons.isEmpty }.map(\.identifier)
        #expect(waiting == ["c20", "c21"])
        device.change(1, 2, .remove(identifier: "c3"))
        #expect(device.status?.conditions.filter { !$0.reasons.isEmpty }.map(\.identifier) == ["c21"])
        device.be(north: 0)
        #expect(device.events().contains { $0.identifier == "c20" && $0.state == .unsatisfied })
        #expect(!device.events().contains { $0.identifier == "c21" && $0.diagnostics.isEmpty })
    }

    /// The answer to a question changes nothing for a condition that waits for a place.
    @Test func aConditionBeyondTheLimitIsToldOnceAlsoWhileAPersonIsAsked() {
        var device = Device()
        device.connect(1, isManaged: true)
        device.readMonitor(1)
        for number in 0..<21 { device.add("c\(number)", Device.circle(north: 10_000 + Double(number) * 500)) }
        #expect(device.events().map(\.diagnostics) == [.conditionLimitExceeded])
        device.feed(.authorizationSet(Device.app, .always))
        #expect(!device.events().contains { $0.identifier == "c20" })
        device.change(1, 2, .remove(identifier: "c3"))
        device.be(north: 0)
        #expect(device.events().contains { $0.identifier == "c20" && $0.state == .unsatisfied })
    }

    @Test(arguments: [
        Condition.circle(.init(latitude: 0, longitude: 0, radius: 0)),
        .circle(.init(latitude: 0, longitude: 0, radius: -5)),
        .circle(.init(latitude: 0, longitude: 0, radius: 1_000_000_001)),
        .circle(.init(latitude: 900_000_001, longitude: 0, radius: 1000)),
        .circle(.init(latitude: 0, longitude: -1_800_000_001, radius: 1000)),
        .circle(.init(latitude: .min, longitude: .max, radius: .max)),
    ]) func aCircleThatCannotBeTakesNoPlace(_ condition: Condition) {
        var device = Device.monitoring()
        device.add("bad", condition)
        #expect(device.events().map(\.diagnostics) == [.conditionUnsupported])
        for number in 0..<20 { device.add("c\(number)") }
        #expect(device.events().isEmpty, "twenty others have their places")
        device.be(north: 0)
        #expect(!device.events().contains { $0.identifier == "bad" })
    }

    @Test func anAppKeepsNoMoreThanItMay() {
        var policy = Policy()
        policy.conditionsKeptMax = 3
        var device = Device.monitoring(policy: policy)
        for number in 0..<3 { device.add("c\(number)") }
        device.add("c3")
        #expect(device.effects.contains(.tell(ClientID(1), .monitor(.taken(change: 1, isRefused: true), monitor: 7))))
        device.add("c2", Device.circle(radius: 5000))
        #expect(device.effects.contains(.tell(ClientID(1), .monitor(.taken(change: 1, isRefused: false), monitor: 7))))
        device.add(String(repeating: "x", count: 256))
        #expect(device.effects.contains(.tell(ClientID(1), .monitor(.taken(change: 1, isRefused: true), monitor: 7))))
        #expect(device.status?.conditions.count == 3)
    }

    // MARK: Reasons

    @Test func reasonsNameEachConditionAndAdvanceNothing() {
        var device = Device.monitoring()
        device.add("a", assuming: .satisfied)
        device.add("b", assuming: .unsatisfied)
        device.feed(.authorizationSet(Device.app, .never))
        #expect(device.events().map(\.identifier) == ["a", "b"])
        #expect(device.events().map(\.state) == [.satisfied, .unsatisfied])
        #expect(device.events().allSatisfy { $0.diagnostics.rawValue == 1 && $0.number == nil })
        #expect(!device.pass(60).contains(.sensor(.receiver, isOn: true)))
        device.feed(.authorizationSet(Device.app, .always))
        #expect(device.events().isEmpty, "a condition that becomes possible causes no event")
        device.feed(.accuracySet(Device.app, precise: false))
        #expect(device.events().map(\.diagnostics) == [.accuracyLimited, .accuracyLimited])
        device.feed(.accuracySet(Device.app, precise: true))
        device.feed(.storageChanged(isAvailable: false))
        #expect(device.events().map(\.diagnostics) == [.persistenceUnavailable, .persistenceUnavailable])
        device.be(north: 500)
        #expect(!device.events().contains { $0.diagnostics.isEmpty }, "what a crash could undo is not told")
        device.feed(.storageChanged(isAvailable: true))
        #expect(device.events().map(\.identifier) == ["a"])
    }

    @Test func readingEventsAsksThePersonForWhenInUse() {
        var device = Device()
        device.connect(1)
        device.readMonitor(1, session: nil)
        #expect(device.asked == .whenInUse(offersPrecise: true))
        device.add("home")
        #expect(
            device.events().first?.diagnostics.rawValue == UpdateDiagnostics.authorizationRequestInProgress.rawValue
        )
    }

    @Test func alwaysTakesASessionAndNoBackgroundMode() {
        var manifest = Device.manifest
        manifest.mayRunInBackground = false
        var device = Device.monitoring(manifest: manifest)
        device.add("home", assuming: .unsatisfied)
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(6)
        device.be(north: 0, for: 2)
        #expect(device.events().map(\.state) == [.satisfied])
        device.readMonitor(1, session: nil)
        #expect(device.events().last?.diagnostics.rawValue == UpdateDiagnostics.insufficientlyInUse.rawValue)
    }

    // MARK: Without a process

    private func terminated(_ state: ConditionState = .unsatisfied) -> Device {
        var device = Device.monitoring()
        device.add("home", assuming: state)
        device.be(north: 500)
        device.feed(.phaseChanged(Device.app, .background))
        device.feed(.clientVanished(ClientID(1)))
        device.feed(.appExited(Device.app, .signalled(9)))
        device.pass(60)
        return device
    }

    @Test func anAppIsLaunchedForAnEventAndHasItWhenItReadsTheMonitorAgain() throws {
        var device = self.terminated()
        device.pass(300)
        device.be(north: 0)
        #expect(device.relaunched != nil)
        device.pass(1)
        device.connect(2, phase: .background, isManaged: true)
        device.readMonitor(2)
        #expect(device.opened(2)?.map(\.state) == [.unsatisfied])
        let event = try #require(device.events(2).first)
        #expect(event.state == .satisfied)
        device.change(2, 2, .handled(try #require(event.number)))
        #expect(device.pass(60).filter { if case .note(.conditionsAbandoned) = $0 { true } else { false } }.isEmpty)
    }

    @Test func anEventThatWasNotHandledComesAgain() {
        var device = self.terminated()
        device.pass(300)
        device.be(north: 0)
        device.connect(2, phase: .background, isManaged: true)
        device.readMonitor(2)
        #expect(device.events(2).map(\.state) == [.satisfied])
        device.feed(.clientVanished(ClientID(2)))
        device.feed(.appExited(Device.app, .exited(0)))
        #expect(device.relaunched != nil)
        device.connect(3, phase: .background, isManaged: true)
        device.readMonitor(3)
        #expect(device.events(3).map(\.state) == [.satisfied])
    }

    @Test func aConditionIsWatchedNoMoreWhenNobodyReceivesItsEvent() {
        var device = self.terminated()
        device.pass(300)
        device.be(north: 0)
        device.connect(2, phase: .background, isManaged: true)
        device.declare(2, sessions: [(1, .always)])
        let effects = device.pass(6)
        #expect(effects.contains(.note(.conditionsAbandoned(Device.app, count: 1))))
        #expect(device.status?.conditions.map(\.reasons) == [.abandoned])
        device.readMonitor(2)
        #expect(device.events(2).map(\.diagnostics) == [.abandoned])
        device.add("home", by: 2)
        device.be(north: 0)
        #expect(device.events(2).map(\.state) == [.satisfied], "added again, it is watched again")
    }

    @Test func anAppThatMayNotBeLaunchedFindsTheCrossingWhenItIsOpened() {
        var device = Device.monitoring()
        device.feed(.authorizationSet(Device.app, .whileUsing))
        device.add("home", assuming: .unsatisfied)
        device.feed(.phaseChanged(Device.app, .background))
        device.feed(.clientVanished(ClientID(1)))
        device.feed(.appExited(Device.app, .exited(0)))
        device.pass(60)
        device.be(north: 0)
        #expect(device.relaunched == nil)
        #expect(device.engine.sensors[.receiver].isOff)
        device.connect(2)
        device.readMonitor(2, session: .whenInUse)
        device.be(north: 0)
        #expect(device.events(2).map(\.state) == [.satisfied])
    }

    @Test func provisionalAlwaysAsksWhenAnEventIsThere() {
        var device = Device()
        device.connect(1, isManaged: true)
        device.feed(.authorizationRequested(ClientID(1), .always))
        device.answer(.allowWhileUsing(precise: true))
        #expect(device.status?.isProvisional == true)
        device.readMonitor(1)
        device.add("home", assuming: .unsatisfied)
        device.feed(.phaseChanged(Device.app, .background))
        device.pass(60)
        #expect(device.asked == nil)
        device.be(north: 0)
        #expect(device.asked == .confirmAlways)
        #expect(device.events().filter { $0.diagnostics.isEmpty }.isEmpty)
        device.answer(.changeToAlways)
        #expect(device.events().contains { $0.diagnostics.isEmpty && $0.state == .satisfied })
    }

    @Test func theLimitAndAllRecordsSurviveAReboot() {
        var device = Device.monitoring()
        for number in 0..<22 { device.add("c\(number)", assuming: .satisfied) }
        device.add("home", assuming: .satisfied)
        var later = device.rebooted()
        #expect(later.status?.conditions.map(\.identifier) == device.status?.conditions.map(\.identifier))
        #expect(later.status?.conditions.map(\.reasons.isEmpty) == device.status?.conditions.map(\.reasons.isEmpty))
        later.be(north: 0)
        #expect(later.relaunched == nil, "a state that was known before causes no event")
    }

    @Test func anEventWaitsOverAReboot() {
        var device = self.terminated()
        device.pass(300)
        device.be(north: 0)
        let later = device.rebooted()
        #expect(later.relaunched != nil)
        #expect(later.status?.conditions.map(\.hasEvent) == [true])
    }

    @Test func recordsThatSayNothingAreSetAsideAndTheOthersGoOn() {
        let device = Device.monitoring()
        var whole = device
        whole.add("a")
        whole.add("b")
        var snapshot = whole.engine.snapshot(now: whole.now.monotonic)
        snapshot.apps[0].conditions[0].circle = [1]
        var engine = Engine(
            restoring: snapshot,
            manifests: [(Device.app, Device.manifest)],
            policy: Policy(),
            elapsed: .zero,
            now: device.now
        )
        #expect(engine.start(now: device.now).contains(.note(.conditionsLost(Device.app, count: 1))))
        #expect(engine.status(of: Device.app)?.conditions.map(\.identifier) == ["b"])
    }

    // MARK: Looking

    @Test func theReceiverIsOffBetweenLooks() {
        var device = Device.monitoring()
        device.add("far", Device.circle(north: 20_000), assuming: .unsatisfied)
        device.be(north: 0, for: 2)
        #expect(device.pass(1).contains(.sensor(.receiver, isOn: false)))
        #expect(!device.pass(540).contains(.sensor(.receiver, isOn: true)), "20 km take 553 s at 36 m/s")
        #expect(device.pass(20).contains(.sensor(.receiver, isOn: true)))
    }

    @Test func aReceiverThatFindsNothingRests() {
        var device = Device.monitoring()
        device.add("home")
        let effects = device.pass(120)
        #expect(effects.contains(.sensor(.receiver, isOn: false)))
        #expect(device.pass(180).contains(.sensor(.receiver, isOn: true)))
    }

    @Test func aRemovedConditionIsLookedForNoMore() {
        var device = Device.monitoring()
        device.add("home")
        device.change(1, 2, .remove(identifier: "home"))
        #expect(device.pass(1).contains(.sensor(.receiver, isOn: false)))
        #expect(device.engine.watch.isEmpty && device.engine.watch.deadline == nil)
        device.add("home")
        device.feed(.appUninstalled(Device.app))
        #expect(device.engine.watch.isEmpty)
    }
}

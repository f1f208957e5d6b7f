internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Tests for priority, expiration and collapse ID: how long a push waits, and for what.
@Suite struct PushPriorityTests {
    @Test func aConsideratePushWaitsForABoundedTime() {
        var device = Device.sharing()
        let push = device.push(1, .considerate)
        #expect(device.launched == nil)
        #expect(!device.effects.contains(.sensor(.receiver, isOn: true)))
        #expect(device.effects.contains(.note(.pushDeferred(push.id, Device.app))))
        #expect(!device.pass(599).contains { if case .process(.launchExtension) = $0 { true } else { false } })
        #expect(device.pass(2).contains { if case .process(.launchExtension) = $0 { true } else { false } })
    }

    @Test func aConsideratePushGoesWhileTheExtensionStillHasItsWholeTime() {
        var device = Device.sharing()
        device.push(1, .considerate, lasting: 100)
        #expect(!device.pass(69).contains { if case .process(.launchExtension) = $0 { true } else { false } })
        #expect(device.pass(2).contains { if case .process(.launchExtension) = $0 { true } else { false } })
        device = Device.sharing()
        device.push(1, .considerate, lasting: 20)
        #expect(device.launched != nil)
    }

    @Test func whatWaitsGoesWithThePushThatWakesTheDevice() {
        var device = Device.sharing()
        let passive = device.push(1, .passive)
        let considerate = device.push(2, .considerate)
        let urgent = device.push(3, .immediate)
        device.answer([passive, considerate, urgent], client: 10)
    }

    @Test func aPassivePushWakesNothingUntilItExpires() {
        var device = Device.sharing()
        let push = device.push(1, .passive, lasting: 7200)
        let before = device.pass(7199)
        #expect(!before.contains { if case .process(.launchExtension) = $0 { true } else { false } })
        #expect(!before.contains(.sensor(.receiver, isOn: true)))
        let end = device.pass(2)
        #expect(end.contains(.note(.pushRefused(push.id, Device.app, .expired))))
        #expect(end.contains(.forgetPush(push.id)))
    }

    @Test(arguments: [Push.Priority.passive, .considerate])
    func itIsGivenAtOnceWhileTheReceiverIsOnAnyway(_ priority: Push.Priority) {
        var device = Device.sharing()
        device.connect(2)
        device.declare(2, sessions: [(1, .always)], streams: [2])
        #expect(device.effects.contains(.sensor(.receiver, isOn: true)))
        device.push(1, priority)
        #expect(device.launched != nil)
    }

    @Test func itIsGivenOnceTheReceiverIsTurnedOnForSomethingElse() {
        var device = Device.sharing()
        device.push(1, .passive)
        device.connect(2)
        device.declare(2, sessions: [(1, .always)], streams: [2])
        #expect(device.launched != nil)
    }

    @Test func anotherAppsPushWakesTheDeviceForAll() {
        var device = Device.sharing()
        device.feed(.appInstalled(Device.other, Device.manifest))
        device.feed(
            .clientConnected(
                ClientID(50),
                Principal(bundle: Device.other, role: .app),
                Lifecycle.Arrival(phase: .foreground, isManaged: false)
            )
        )
        device.feed(.authorizationSet(Device.other, .always))
        device.feed(.pushTokenRequested(ClientID(50), request: 1))
        device.feed(.clientVanished(ClientID(50)))
        device.push(1, .passive)
        #expect(device.launched == nil)
        device.push(2, .immediate, of: Device.other)
        let started = device.effects.compactMap {
            if case .process(.launchExtension(let app, _)) = $0 { app } else { nil }
        }
        #expect(Set(started) == [Device.app, Device.other])
    }

    @Test func aNewerPushOfTheSameCollapseIDReplacesTheOneThatWaits() {
        var device = Device.sharing()
        let old = device.push(1, .considerate, collapse: "c")
        let other = device.push(2, .considerate, collapse: "d")
        let new = device.push(3, .considerate, collapse: "c")
        #expect(device.effects.contains(.forgetPush(old.id)))
        #expect(device.effects.contains(.note(.pushReplaced(old.id, Device.app))))
        let urgent = device.push(4, .immediate)
        device.answer([other, new, urgent], client: 10)
    }

    @Test func anUrgentPushDisplacesALessUrgentOneThatWaits() {
        var device = Device.sharing()
        for number in UInt64(1)...16 { device.push(number, .considerate) }
        device.push(17, .considerate)
        #expect(device.refused == .tooManyWaiting)
        device.push(18, .immediate)
        #expect(device.effects.contains(.note(.pushRefused(PushID(high: 8, low: 1), Device.app, .tooManyWaiting))))
        #expect(device.launched != nil)
    }

    @Test func aPushThatExpiresBeforeTheExtensionIsUpIsNotHanded() throws {
        var device = Device.sharing()
        let push = device.push(1, .immediate, lasting: 1)
        let launch = try #require(device.launched)
        device.pass(2)
        device.connectExtension(10, launch: launch)
        #expect(!device.effects.contains(.tell(ClientID(10), .push(push))))
        #expect(device.effects.contains(.tell(ClientID(10), .finish)))
    }

    @Test func aStepOfTheWallClockEndsNoWait() {
        var device = Device.sharing()
        let push = device.push(1, .passive, lasting: 3600)
        let stepped = Now(
            monotonic: device.now.monotonic.advanced(by: .seconds(1)),
            wall: WallTime(timeIntervalSince1970: device.now.wall.timeIntervalSince1970 + 1e6)
        )
        #expect(throws: Never.self) {
            let effects = try device.engine.handle(.deadlineReached, now: stepped)
            #expect(!effects.contains(.forgetPush(push.id)))
        }
    }

    @Test func aPushThatWasToBeTriedOnceDoesNotWaitForLong() {
        var device = Device.sharing()
        let push = device.push(1, .passive, lasting: nil)
        #expect(device.pass(61).contains(.note(.pushRefused(push.id, Device.app, .expired))))
    }

    @Test func whatChangedWhileAPushWaitedCounts() {
        var device = Device.sharing()
        let push = device.push(1, .considerate)
        device.feed(.authorizationSet(Device.app, .never))
        let end = device.pass(601)
        #expect(end.contains(.note(.pushRefused(push.id, Device.app, .notAuthorized(.denied)))))
        #expect(!end.contains { if case .process(.launchExtension) = $0 { true } else { false } })
    }

    @Test func aWaitingPushSurvivesARestartAndItsTimeGoesOn() {
        var device = Device.sharing()
        let push = device.push(1, .considerate)
        device.seconds += 700
        device.engine = Engine(
            restoring: device.engine.snapshot(now: device.now.monotonic),
            manifests: [(Device.app, Device.manifest)],
            policy: Policy(),
            elapsed: .zero,
            now: device.now
        )
        device.feed(.pushRecovered(push))
        #expect(device.launched != nil)
    }

    @Test func aPushThatComesAgainAfterARestartIsKnown() {
        var device = Device.sharing()
        let push = device.push(1, .immediate)
        device.answer([push], client: 10)
        device.engine = Engine(
            restoring: device.engine.snapshot(now: device.now.monotonic),
            manifests: [(Device.app, Device.manifest)],
            policy: Policy(),
            elapsed: .zero,
            now: device.now
        )
        device.feed(.pushReceived(push))
        #expect(device.effects.contains(.forgetPush(push.id)))
        #expect(device.launched == nil)
    }
}

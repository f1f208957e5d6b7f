internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Tests for extensions that fail, bad pushes, floods, and their reports.
@Suite struct PushFailureTests {
    @Test func anExtensionThatFailsThreeTimesIsHeldBackTwiceAsLongEachTime() {
        var device = Device.sharing()
        for number in UInt64(1)...3 {
            device.push(number, .immediate)
            device.fail(device.launched)
        }
        #expect(device.effects.contains(.note(.extensionHeldBack(Device.app))))
        device.push(4, .immediate)
        #expect(device.refused == .heldBack)
        #expect(device.launched == nil)
        // After the pause, one attempt is made, which fails, too.
        device.pass(61)
        device.push(5, .immediate)
        device.fail(device.launched)
        device.pass(61)
        device.push(6, .immediate)
        #expect(device.refused == .heldBack)
        device.pass(60)
        let good = device.push(7, .immediate)
        device.answer([good], client: 10)
        // The extension works again: the next failure counts as the first one.
        device.push(8, .immediate)
        device.fail(device.launched)
        device.push(9, .immediate)
        #expect(device.launched != nil)
    }

    @Test func itIsNeverHeldBackForLongerThanTheBound() {
        var device = Device.sharing()
        for number in UInt64(1)...40 {
            device.push(number, .immediate)
            #expect(device.refused == nil)
            device.fail(device.launched)
            device.pass(3601)
        }
        device.push(41, .immediate)
        #expect(device.launched != nil)
    }

    @Test func whatMayWaitWaitsForTheEndOfTheHold() {
        var device = Device.sharing()
        for number in UInt64(1)...3 {
            device.push(number, .immediate)
            device.fail(device.launched)
        }
        // The receiver is still on, but the extension must wait.
        device.push(4, .considerate, lasting: 90)
        #expect(device.refused == nil)
        #expect(!device.pass(59).contains { if case .process(.launchExtension) = $0 { true } else { false } })
        #expect(device.pass(2).contains { if case .process(.launchExtension) = $0 { true } else { false } })
    }

    @Test func anotherVersionIsNotHeldBack() {
        var device = Device.sharing()
        for number in UInt64(1)...3 {
            device.push(number, .immediate)
            device.fail(device.launched)
        }
        device.feed(.appInstalled(Device.app, Device.manifest))
        device.push(4, .immediate)
        #expect(device.launched != nil)
    }

    @Test(arguments: [(Array("[]".utf8), false), (Array(repeating: 0x20, count: 5121), true)])
    func aPayloadNoExtensionCanBeGivenIsRefused(_ payload: [UInt8], _ isObject: Bool) {
        var device = Device.sharing()
        let push = device.push(1, .immediate, payload: payload, isObject: isObject)
        #expect(device.refused == .malformed)
        #expect(device.effects.contains(.forgetPush(push.id)))
    }

    /// Goal: a flood costs limited memory, and the owner can see the outcome of all its pushes.
    @Test func aFloodIsBoundedAndAccountedFor() {
        var device = Device.sharing()
        var accounts = PushAccounts()
        for number in UInt64(1)...5000 {
            device.push(number, .immediate)
            for case .note(let note) in device.effects { _ = accounts.record(note, time: device.now.wall) }
        }
        #expect(accounts.total.received == 5000)
        #expect(accounts.total.refused["too-many-waiting"] == 104)
        #expect(accounts.total.refused["budget-exhausted"] == 4880)
        #expect(accounts.total.refused.values.reduce(0, +) == 5000 - 16)
        #expect(accounts.recent.count == PushAccounts.recentMax)
        // The pushes that were charged to the budget.
        #expect(device.engine.snapshot(now: device.now.monotonic).recentPushes.count == 120)
    }

    /// Goal: a push service that floods a device cannot make it forget the pushes that an extension is handling.
    @Test func aPushThatWasGivenIsKnownAgainAfterAFlood() {
        var device = Device.sharing()
        device.push(1, .immediate)
        #expect(device.launched != nil)
        for number in UInt64(2)...5000 { device.push(number, .immediate, of: BundleID("com.example.unknown")) }
        device.push(1, .immediate)
        #expect(device.effects.isEmpty)
    }

    @Test func pushesForManyUnknownAppsAreBoundedToo() {
        var device = Device.sharing()
        var accounts = PushAccounts()
        for number in UInt64(1)...1000 {
            device.push(number, .immediate, of: BundleID("com.example.unknown\(number)"))
            for case .note(let note) in device.effects { _ = accounts.record(note, time: device.now.wall) }
        }
        #expect(accounts.total.received == 1000)
        #expect(accounts.apps.count == PushAccounts.appsMax)
        #expect((device.engine.snapshot(now: device.now.monotonic).shares).count <= 1)
    }

    @Test func theAccountsFollowEachPushToItsEnd() {
        var accounts = PushAccounts()
        let id = PushID(high: 1, low: 1)
        let notes: [Note] = [
            .pushReceived(id, Device.app), .pushHanded(id, Device.app), .pushCompleted(id, Device.app),
            .pushReceived(id, Device.app), .pushReplaced(id, Device.app),
            .pushReceived(id, Device.app), .pushRefused(id, Device.app, .noAlwaysSession),
            .pushReceived(id, Device.app), .extensionFailed(Device.app, .signalled(9), pushes: 1),
        ]
        for note in notes {
            let told = accounts.record(note, time: WallTime(microseconds: 7))
            #expect(told)
        }
        let told = accounts.record(.budgetReopened, time: WallTime(microseconds: 7))
        #expect(!told)
        let counts = accounts.apps[Device.app.rawValue]
        #expect(counts == accounts.total)
        #expect(counts?.received == 4)
        #expect(counts?.handed == 1)
        #expect(counts?.completed == 1)
        #expect(counts?.replaced == 1)
        #expect(counts?.abandoned == 1)
        #expect(counts?.refused == ["no-always-session": 1])
        #expect(accounts.recent.map(\.outcome) == ["completed", "replaced", "refused", "abandoned"])
        #expect(accounts.recent.map(\.reason) == ["", "", "no-always-session", "signal-9"])
        accounts.forget(Device.app)
        #expect(accounts.apps.isEmpty && accounts.recent.isEmpty && accounts.total.received == 4)
    }

    @Test func theChecksNameWhatIsMissing() {
        func push(_ bundle: BundleID = Device.app, payload: [UInt8] = [], isObject: Bool = true) -> Push {
            Push(
                id: PushID(high: 0, low: 1),
                bundle: bundle,
                payload: payload,
                isObject: isObject,
                priority: .immediate,
                expiration: nil,
                received: EngineInstant(sinceStart: .zero)
            )
        }
        func unmet(_ device: Device, _ push: Push = push()) -> [PushCheck] {
            device.engine.pushChecks(for: push).filter { !$0.isMet }.map(\.check)
        }
        var device = Device.sharing()
        #expect(unmet(device) == [])
        #expect(unmet(device, push(Device.other)) == [.installed])
        let longest = Policy().pushPayloadMax
        #expect(unmet(device, push(payload: Array(repeating: 0, count: longest))) == [])
        let tooLong = push(payload: Array(repeating: 0, count: longest + 1), isObject: false)
        #expect(unmet(device, tooLong) == [.object, .size])
        device.feed(.servicesSwitched(on: false))
        #expect(unmet(device) == [.services])
        device.feed(.servicesSwitched(on: true))
        device.feed(.managementChanged(Management(everyApp: .init(restriction: .forbidden))))
        #expect(unmet(device) == [.permitted])
        // A locked app keeps the decision it has.
        device.feed(.managementChanged(Management(everyApp: .init(restriction: .locked))))
        #expect(unmet(device) == [])
        device.feed(.managementChanged(Management()))
        device.feed(.authorizationSet(Device.app, .whileUsing))
        #expect(unmet(device) == [.authorized])
        var manifest = Device.manifest
        manifest.hasPushExtension = false
        manifest.hasPushEnvironment = false
        manifest.mayReceiveLocationPushes = false
        device.feed(.appInstalled(Device.app, manifest))
        #expect(unmet(device) == [.hasExtension, .hasEnvironment, .entitled, .registered, .authorized])
        device = Device.sharing()
        device.connect(2)
        device.declare(2, sessions: [(1, .always)])
        device.declare(2)
        #expect(unmet(device) == [.session])
        device = Device.sharing()
        for number in UInt64(1)...3 {
            device.push(number, .immediate)
            device.fail(device.launched)
        }
        #expect(unmet(device) == [.steady])
        for number in UInt64(4)...120 { device.push(number, .immediate) }
        #expect(unmet(device) == [.budget, .share, .steady])
        device = Device.sharing()
        for number in UInt64(1)...16 { device.push(number, .immediate) }
        #expect(unmet(device) == [.room])
        // Looking changes nothing.
        let before = device.engine
        _ = unmet(device)
        #expect(device.engine == before)
    }

    @Test func anotherVersionKeepsTheTokenIfItMay() {
        var device = Device.sharing()
        device.feed(.appInstalled(Device.app, Device.manifest))
        #expect(!device.effects.contains(.gateway(.unregister(Device.app))))
        #expect(device.engine.status(of: Device.app)?.monitorsPushes == true)
        var manifest = Device.manifest
        manifest.mayReceiveLocationPushes = false
        device.feed(.appInstalled(Device.app, manifest))
        #expect(device.effects.contains(.gateway(.unregister(Device.app))))
        #expect(device.engine.status(of: Device.app)?.monitorsPushes == false)
    }

    @Test func aTokenThatWasGivenUpIsGivenBackAfterARestart() {
        var device = Device.sharing()
        device.feed(.appUninstalled(Device.app))
        #expect(device.effects.contains(.persist))
        func restarted(_ device: Device) -> [Engine.Effect] {
            var engine = Engine(
                restoring: device.engine.snapshot(now: device.now.monotonic),
                manifests: [],
                policy: Policy(),
                elapsed: .zero,
                now: device.now
            )
            return engine.start(now: device.now)
        }
        #expect(restarted(device).contains(.gateway(.unregister(Device.app))))
        device.feed(.topicUnregistered(Device.app))
        #expect(!restarted(device).contains(.gateway(.unregister(Device.app))))
    }

    @Test func withoutAGatewayARegistrationFailsAtOnce() {
        var device = Device()
        device.connect(1)
        device.feed(.pushTokenRequested(ClientID(1), request: 3))
        device.feed(.pushRegistrationFailed(Device.app))
        #expect(device.effects.contains(.tell(ClientID(1), .pushToken(.failure(.unknown), request: 3))))
    }

    @Test func whatAppsTookOfTheReserveSurvivesARestart() {
        var device = Device.sharing()
        device.feed(.appInstalled(Device.other, Device.manifest))
        device.feed(
            .clientConnected(
                ClientID(50),
                Principal(bundle: Device.other, role: .app),
                Lifecycle.Arrival(phase: .foreground, isManaged: false)
            )
        )
        device.feed(.pushTokenRequested(ClientID(50), request: 1))
        for number in UInt64(1)...90 { device.push(number, .immediate) }
        #expect(device.effects.contains(.note(.shareExhausted(Device.app))))
        #expect(device.effects.contains(.gateway(.enable([Device.other]))))
        device.engine = Engine(
            restoring: device.engine.snapshot(now: device.now.monotonic),
            manifests: [(Device.app, Device.manifest), (Device.other, Device.manifest)],
            policy: Policy(),
            elapsed: .seconds(1800),
            now: device.now
        )
        device.push(91, .immediate)
        #expect(device.refused == .shareExhausted)
        #expect(device.pass(1801).contains(.note(.shareReopened(Device.app))))
    }
}

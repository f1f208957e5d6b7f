internal import Testing
internal import WhereaboutsLocationEngine

/// Tests for the switch of location services, and for the owner's rules.
@Suite struct ManagementTests {
    @Test func deniedGloballyIsDeniedToo() {
        var device = Device(.whileUsing)
        device.connect(1)
        device.declare(1, sessions: [(1, .whenInUse)], streams: [5])
        device.feed(.servicesSwitched(on: false))
        #expect(device.told(1)?.authorization == .denied)
        #expect(device.told(1)?.servicesEnabled == false)
        #expect(device.diagnostics(to: 1) == [[.authorizationDenied, .authorizationDeniedGlobally]])
        #expect(device.updates(to: 1) == [.unavailable([.authorizationDenied, .authorizationDeniedGlobally])])
        device.feed(.servicesSwitched(on: true))
        #expect(device.told(1)?.authorization == .whenInUse)
        #expect(device.diagnostics(to: 1) == [[]])
    }

    @Test func whileServicesAreOffNobodyIsAsked() {
        var device = Device()
        device.feed(.servicesSwitched(on: false))
        device.connect(1)
        device.declare(1, sessions: [(1, .whenInUse)])
        #expect(device.asked == nil)
        device.feed(.servicesSwitched(on: true))
        #expect(device.asked == .whenInUse(offersPrecise: true))
        device.feed(.servicesSwitched(on: false))
        #expect(device.asked == nil)
    }

    @Test func theOwnersWordStandsAboveThePersons() {
        var device = Device()
        device.feed(.managementChanged(Management(locationServices: false)))
        device.feed(.servicesSwitched(on: true))
        #expect(!device.engine.areServicesOn)
    }

    @Test func aForbiddenAppIsRestrictedWhateverWasDecided() {
        var device = Device.sharing()
        device.feed(.managementChanged(Management(apps: [Device.app: .init(restriction: .forbidden)])))
        #expect(device.status?.authorization == .restricted)
        _ = device.push()
        #expect(device.refused == .notAuthorized(.restricted))
        device.connect(2)
        device.declare(2, sessions: [(1, .always)], streams: [5])
        #expect(device.diagnostics(to: 2) == [.authorizationRestricted])
        #expect(device.updates(to: 2) == [.unavailable(.authorizationRestricted)])
        device.feed(.authorizationSet(Device.app, .never))
        device.feed(.managementChanged(Management()))
        #expect(device.status?.authorization == .always)
    }

    @Test func aLockedAppKeepsWhatWasDecidedAndIsNotAskedAbout() {
        var device = Device()
        device.feed(.managementChanged(Management(everyApp: .init(restriction: .locked))))
        device.connect(1)
        device.declare(1, sessions: [(1, .whenInUse)])
        #expect(device.asked == nil)
        #expect(device.diagnostics(to: 1) == [.authorizationRestricted])
        var decided = Device(.whileUsing)
        decided.feed(.managementChanged(Management(everyApp: .init(restriction: .locked))))
        #expect(decided.status?.authorization == .whenInUse)
        decided.feed(.authorizationSet(Device.app, .always))
        #expect(decided.status?.authorization == .whenInUse)
    }

    @Test func aStandingAnswerIsGivenInsteadOfAsking() {
        var device = Device()
        device.feed(.managementChanged(Management(everyApp: .init(answer: .always(precise: true)))))
        device.connect(1)
        device.declare(1, sessions: [(1, .always)])
        #expect(device.status?.authorization == .always)
        #expect(!device.effects.contains { if case .people(.presentPrompt) = $0 { true } else { false } })
    }

    @Test func aHeadlessAppIsAlwaysInUse() {
        var device = Device()
        device.feed(.managementChanged(Management(apps: [Device.app: .init(isHeadless: true)])))
        device.feed(.authorizationSet(Device.app, .whileUsing))
        device.connect(1, phase: .background, isManaged: true)
        device.declare(1, streams: [5])
        device.pass(600)
        device.fix()
        #expect(device.updates(to: 1).first?.fix != nil)
        #expect(device.status?.process == .headless)
    }
}

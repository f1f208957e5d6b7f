internal import Testing

@testable internal import WhereaboutsLocationEngine

/// Tests for regions of managers: conditions of a monitor without a session, whose crossings are filtered as the app
/// requests.
@Suite struct RegionTests {
    private static let both: Notices = [.entry, .exit]

    private func watching(_ notices: Notices = Self.both) -> Device {
        var device = Device(.always)
        device.connect(1, isManaged: true)
        device.readMonitor(1, Declaration.Monitor.ofRegions, session: nil)
        device.add("home", Device.circle(), notices)
        return device
    }

    private func terminate(_ device: inout Device) {
        device.feed(.phaseChanged(Device.app, .background))
        device.feed(.clientVanished(ClientID(1)))
        device.feed(.appExited(Device.app, .signalled(9)))
        device.pass(300)
    }

    @Test func theFirstStateIsNoCrossing() {
        var device = self.watching()
        device.be(north: 0)
        #expect(device.events().map(\.state) == [.satisfied])
        #expect(device.events().map(\.number) == [nil], "there is nothing to handle")
        device.pass(300)
        device.be(north: 500)
        #expect(device.events().map(\.state) == [.unsatisfied] && device.events().first?.number != nil)
    }

    /// A device whose app has a region; no authorization was decided.
    private func undecided() -> Device {
        var device = Device()
        device.connect(1, isManaged: true)
        device.readMonitor(1, Declaration.Monitor.ofRegions, session: nil)
        return device
    }

    /// The client reports to the delegates that a region is monitored when it receives an event without a reason.
    @Test func aRegionThatIsMonitoredIsToldSoWheneverItIsStarted() {
        var device = self.watching()
        #expect(device.events().map(\.state) == [.unknown] && device.events().map(\.diagnostics) == [[]])
        device.add("home", Device.circle(), Self.both)
        #expect(device.events().map(\.diagnostics) == [[]], "it is started again")
        device.feed(.phaseChanged(Device.app, .background))
        #expect(device.events().isEmpty)
    }

    @Test func aRegionIsToldAsMonitoredOnceThePersonAllowsIt() {
        var device = self.undecided()
        device.add("home", Device.circle(), Self.both)
        #expect(device.events().allSatisfy { !$0.diagnostics.isEmpty })
        device.feed(.authorizationSet(Device.app, .always))
        #expect(device.events().map(\.diagnostics) == [[]])
    }

    @Test func aRegionThatIsDeniedIsToldOfThatAloneWheneverItIsStarted() {
        var device = self.undecided()
        device.feed(.authorizationSet(Device.app, .never))
        for _ in 0..<2 {
            device.add("home", Device.circle(), Self.both)
            #expect(device.events().map(\.diagnostics) == [MonitorDiagnostics(.authorizationDenied)])
        }
    }

    /// A disk that rejects writes delays monitoring (`CLError.regionMonitoringSetupDelayed`).
    @Test func aRegionIsNotToldAsMonitoredWhileTheDiskTakesNothing() {
        var device = Device(.always)
        device.connect(1, isManaged: true)
        device.readMonitor(1, Declaration.Monitor.ofRegions, session: nil)
        device.feed(.storageChanged(isAvailable: false))
        device.add("home", Device.circle(), Self.both)
        #expect(device.events().map(\.diagnostics) == [.persistenceUnavailable])
        device.feed(.storageChanged(isAvailable: true))
        #expect(device.events().map(\.diagnostics) == [[]])
    }

    @Test func regionsNeedNoSessionAndLaunchTheApp() {
        var device = self.watching()
        device.be(north: 500)
        self.terminate(&device)
        device.be(north: 0)
        #expect(device.relaunched == .location)
        device.connect(2, phase: .background, isManaged: true)
        device.readMonitor(2, Declaration.Monitor.ofRegions, session: nil)
        #expect(device.events(2).map(\.state) == [.satisfied])
    }

    @Test func aCrossingThatIsNotWantedLaunchesNobodyAndIsKnown() {
        var device = self.watching(.entry)
        device.be(north: 0)
        self.terminate(&device)
        device.be(north: 500)
        #expect(device.relaunched == nil)
        device.pass(300)
        device.be(north: 0)
        #expect(device.relaunched == .location, "it came in again")
    }

    @Test func anAppWithoutAManagerIsLaunchedOnceAndKeepsItsRegion() {
        var device = self.watching()
        device.be(north: 500)
        self.terminate(&device)
        device.be(north: 0)
        device.connect(2, phase: .background, isManaged: true)
        device.declare(2, Declaration())
        #expect(!device.pass(6).contains { if case .note(.conditionsAbandoned) = $0 { true } else { false } })
        device.feed(.clientVanished(ClientID(2)))
        device.feed(.appExited(Device.app, .exited(0)))
        #expect(device.relaunched == nil)
        #expect(device.status?.conditions.map(\.reasons) == [[]])
    }

    @Test func synchronousMembersKnowTheRegions() {
        var device = self.watching()
        self.terminate(&device)
        device.connect(2)
        #expect(device.told(2)?.regions.map(\.identifier) == ["home"])
        #expect(device.told(2)?.regions.map(\.notices) == [Self.both])
    }

    @Test func theLimitIsSharedWithConditions() {
        var device = self.watching()
        device.declare(
            1,
            Declaration(
                sessions: [.init(id: 10, requirement: .always)],
                monitors: [.init(id: 7, name: "places"), .init(id: 8, name: Declaration.Monitor.ofRegions)]
            )
        )
        for number in 0..<20 { device.add("c\(number)") }
        #expect(device.events().map(\.diagnostics) == [.conditionLimitExceeded])
    }
}

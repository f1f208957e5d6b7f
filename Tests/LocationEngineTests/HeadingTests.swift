internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Tests for headings: the magnetic one needs no authorization, the true one comes with positions, and suspended apps
/// get none.
@Suite struct HeadingTests {
    private func heading(
        _ device: Device,
        _ magnetic: Int32?,
        _ geographic: Int32? = nil,
        accuracy: Int32? = 500
    ) -> Heading {
        Heading(
            magnetic: magnetic,
            geographic: geographic,
            accuracy: accuracy,
            time: device.now.wall,
            arrival: device.now.monotonic
        )
    }

    private func reading(filter: Int32 = 100, phase: Lifecycle.Phase = .foreground) -> Device {
        var device = Device()
        device.connect(1, phase: phase, isManaged: true)
        device.declare(1, Declaration(streams: [.init(id: 1, service: .heading(filter: filter))]))
        return device
    }

    private func magnetic(_ device: Device) -> [Int32?] {
        device.updates(to: 1).map { if case .heading(let heading)? = $0.element { heading.magnetic } else { nil } }
    }

    @Test func needsNobodysLeaveAndRunsTheCompassAlone() {
        var device = self.reading()
        #expect(device.effects.contains(.sensor(.compass, isOn: true)))
        #expect(!device.effects.contains(.sensor(.receiver, isOn: true)))
        device.feed(.authorizationSet(Device.app, .never))
        device.feed(.sensed(.heading(self.heading(device, 9000))))
        #expect(self.magnetic(device) == [9000])
        device.declare(1)
        #expect(device.pass(31).contains(.sensor(.compass, isOn: false)))
    }

    @Test func theFilterHoldsSmallTurnsBackAcrossNorth() {
        var device = self.reading(filter: 200)
        for (angle, isGiven) in [(35_950, true), (50, false), (150, true), (35_900, true), (35_950, false)]
            as [(Int32, Bool)]
        {
            device.feed(.sensed(.heading(self.heading(device, angle))))
            #expect(self.magnetic(device).count == (isGiven ? 1 : 0), "\(angle)")
        }
    }

    @Test func theTrueHeadingComesBesidePositionsOnly() {
        var device = self.reading()
        device.feed(.authorizationSet(Device.app, .whileUsing))
        device.feed(.sensed(.heading(self.heading(device, 1000, 1300))))
        #expect(device.updates(to: 1).map(\.element) == [.heading(self.heading(device, 1000))])
        let position = Declaration.Stream(id: 2, service: .standard(StandardOptions()))
        device.declare(1, Declaration(streams: [.init(id: 1, service: .heading(filter: 100)), position]))
        #expect(device.updates(to: 1).map(\.element) == [.heading(self.heading(device, 1000, 1300))])
        device.feed(.authorizationSet(Device.app, .never))
        device.feed(.sensed(.heading(self.heading(device, 2000, 2300))))
        #expect(device.updates(to: 1).map(\.element) == [.heading(self.heading(device, 2000))])
    }

    @Test func aStoppedAppGetsNoneAndTheNewestWhenItGoesOn() {
        var device = self.reading(phase: .background)
        #expect(device.pass(11).contains(.process(.freeze(Device.app))))
        device.feed(.sensed(.heading(self.heading(device, 1000))))
        #expect(device.effects.isEmpty)
        device.feed(.phaseChanged(Device.app, .foreground))
        #expect(self.magnetic(device) == [1000])
    }

    /// Goal: the compass is off if no app can receive headings.
    @Test func theCompassIsOffWhileTheOnlyAppThatReadsIsStopped() {
        var device = self.reading(phase: .background)
        device.pass(11)
        #expect(device.pass(60).contains(.sensor(.compass, isOn: false)))
        device.feed(.phaseChanged(Device.app, .foreground))
        #expect(device.effects.contains(.sensor(.compass, isOn: true)))
    }

    @Test func aDisturbedCompassIsToldAtOnce() {
        var device = self.reading(filter: 9000)
        device.feed(.sensed(.heading(self.heading(device, 1000))))
        device.feed(.sensed(.heading(self.heading(device, 1000, accuracy: nil))))
        #expect(device.updates(to: 1).count == 1)
    }

    @Test func aCompassThatSaysNothingFails() {
        var device = self.reading()
        device.pass(11)
        #expect(device.updates(to: 1).map(\.diagnostics) == [.headingUnavailable])
        device.feed(.sensed(.heading(self.heading(device, 1000))))
        #expect(self.magnetic(device) == [1000])
    }

    @Test func theFirstHeadingShowsThatThereIsACompass() {
        var device = Device()
        device.connect(1)
        #expect(device.told(1)?.sensors[.compass] == false)
        device.feed(.sensed(.heading(self.heading(device, 1000))))
        #expect(device.told(1)?.sensors[.compass] == true)
    }
}

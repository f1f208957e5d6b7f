internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

@Suite struct DeliveryTests {
    /// An app in the foreground with location authorization.
    private func inUse() -> Device {
        var device = Device()
        device.connect(1)
        device.feed(.authorizationSet(Device.app, .whileUsing))
        return device
    }

    @Test func iteratingStartsTheReceiverAndDeliversEachFix() {
        var device = self.inUse()
        device.declare(1, streams: [5])
        #expect(device.effects.contains(.sensor(.receiver, isOn: true)))
        #expect(device.updates(to: 1).isEmpty)
        device.fix()
        guard let fix = device.updates(to: 1).first?.fix else { return #expect(Bool(false), "no fix") }
        #expect(fix.latitude == 425_000_000)
        device.pass(1)
        device.fix(latitude: 425_000_100)
        #expect(device.updates(to: 1).count == 1)
    }

    @Test func theReceiverStaysOnAWhileWhenNobodyNeedsIt() {
        var device = self.inUse()
        device.declare(1, streams: [5])
        device.declare(1)
        #expect(!device.effects.contains(.sensor(.receiver, isOn: false)))
        #expect(!device.pass(29).contains(.sensor(.receiver, isOn: false)))
        #expect(device.pass(2).contains(.sensor(.receiver, isOn: false)))
    }

    @Test(arguments: [(1.9, true), (2.1, false)])
    func aNewStreamBeginsWithAFixOnlyIfItIsRecent(_ age: Double, _ isServed: Bool) {
        var device = self.inUse()
        device.declare(1, streams: [5])
        device.fix()
        device.pass(age)
        device.declare(1, streams: [5, 6])
        #expect(device.updates(to: 1).count == (isServed ? 1 : 0))
    }

    @Test func aFixThatDoesNotTellItsAccuracyWaitsForOneThatDoes() {
        var device = self.inUse()
        device.declare(1, streams: [5])
        device.fix(accuracy: nil)
        #expect(device.updates(to: 1).isEmpty)
        device.pass(1)
        device.fix(accuracy: 3000)
        #expect(device.updates(to: 1).count == 1)
        // Later on there is nothing to wait for.
        device.pass(1)
        device.fix(accuracy: nil)
        guard let fix = device.updates(to: 1).first?.fix else { return #expect(Bool(false), "no fix") }
        #expect(fix.horizontalAccuracy == 100_000)
    }

    @Test func aReceiverThatNeverTellsItsAccuracyIsUsedAfterAWhile() {
        var device = self.inUse()
        device.declare(1, streams: [5])
        device.pass(3)
        device.fix(accuracy: nil)
        #expect(device.updates(to: 1).count == 1)
    }

    @Test func silenceIsSaidAndEnds() {
        var device = self.inUse()
        device.declare(1, streams: [5])
        device.pass(9.9)
        #expect(device.updates(to: 1).isEmpty)
        device.pass(0.2)
        #expect(device.updates(to: 1) == [.unavailable(.locationUnavailable)])
        device.fix()
        #expect(device.updates(to: 1).count == 1)
        device.feed(.sensed(.lost(.receiver)))
        #expect(device.updates(to: 1) == [.unavailable(.locationUnavailable)])
    }

    @Test func refusalStopsAStreamAndPermissionResumesIt() {
        var device = self.inUse()
        device.declare(1, streams: [5])
        device.fix()
        device.feed(.authorizationSet(Device.app, .never))
        #expect(device.updates(to: 1) == [.unavailable(.authorizationDenied)])
        device.fix()
        #expect(device.updates(to: 1).isEmpty)
        device.feed(.authorizationSet(Device.app, .whileUsing))
        device.pass(1)
        device.fix()
        #expect(device.updates(to: 1).count == 1)
    }

    @Test func leavingTheForegroundStopsDeliveryAfterTheGrace() {
        var device = self.inUse()
        device.declare(1, streams: [5])
        device.feed(.phaseChanged(Device.app, .background))
        device.fix()
        #expect(device.updates(to: 1).count == 1)
        device.pass(5)
        #expect(device.updates(to: 1) == [.unavailable(.insufficientlyInUse)])
    }

    @Test func aFixKeepsItsTime() {
        var device = self.inUse()
        device.declare(1, streams: [5])
        device.fix(age: 3)
        guard let fix = device.updates(to: 1).first?.fix else { return #expect(Bool(false), "no fix") }
        #expect(abs(fix.time.duration(to: device.now.wall) / .seconds(1) - 3) < 0.001)
    }

    /// Goal: a position that was delayed by 24 s is not delivered as a current one.
    @Test func whatIsOldIsOld() {
        var device = self.inUse()
        device.declare(1, streams: [5])
        for age in [24.0, 23, 22] { device.fix(age: age) }
        #expect(device.updates(to: 1).isEmpty)
        #expect(device.engine.refusedFixes[.late] == 3)
        device.fix(age: 0.5)
        #expect(device.updates(to: 1).count == 1)
    }

    @Test func aReceiverWhoseClockIsOffIsLearned() {
        var device = self.inUse()
        device.declare(1, streams: [5])
        for _ in 0..<6 {
            device.fix(age: 4000)
            device.pass(1)
        }
        guard let fix = device.updates(to: 1).compactMap(\.fix).last else { return #expect(Bool(false), "no fix") }
        #expect(abs(fix.time.duration(to: device.now.wall) / .seconds(1) - 1) < 0.001)
    }

    @Test func everyUpdateIsAFixOrSaysWhyNot() {
        for setting in Authorization.Setting.allCases {
            for phase in [Lifecycle.Phase.foreground, .background] {
                var device = Device(setting)
                device.connect(1, phase: phase)
                device.declare(1, streams: [5])
                device.fix()
                for update in device.updates(to: 1) { #expect(update.fix != nil || !update.diagnostics.isEmpty) }
            }
        }
    }
}

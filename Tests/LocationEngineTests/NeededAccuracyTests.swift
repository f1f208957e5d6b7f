internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Goal: the device requests only the accuracy that apps need, and sets it before it switches a receiver on.
@Suite struct NeededAccuracyTests {
    private static func device(_ service: Service) -> Device {
        var device = Device(.always)
        device.connect(1)
        device.declare(1, Declaration(streams: [.init(id: 1, service: service)]))
        return device
    }

    private func said(_ device: Device) -> [NeededAccuracy] {
        device.effects.compactMap { if case .accuracy(let needed) = $0 { needed } else { nil } }
    }

    @Test(arguments: [
        Service.standard(StandardOptions(desiredAccuracy: 100_000)),
        .standard(StandardOptions(desiredAccuracy: 3_000_000)), .once(desiredAccuracy: 1_000_000),
        .once(desiredAccuracy: Service.reduced), .significantChanges, .visits,
    ])
    func aHundredMetresWillDo(_ service: Service) throws {
        let device = Self.device(service)
        #expect(self.said(device) == [.hundredMetres])
        let on = try #require(device.effects.firstIndex(of: .sensor(.receiver, isOn: true)))
        let word = try #require(device.effects.firstIndex(of: .accuracy(.hundredMetres)))
        #expect(word < on)
    }

    @Test(arguments: [
        Service.standard(StandardOptions()), .standard(StandardOptions(desiredAccuracy: 10_000)),
        .once(desiredAccuracy: 0),
        .live(.fitness),
    ])
    func nothingButTheBestWillDo(_ service: Service) {
        let device = Self.device(service)
        #expect(self.said(device).isEmpty)
        #expect(device.effects.contains(.sensor(.receiver, isOn: true)))
    }

    @Test func theMostDemandingDecides() {
        let modest = Declaration.Stream(id: 1, service: .standard(StandardOptions(desiredAccuracy: 100_000)))
        var device = Self.device(modest.service)
        device.declare(1, Declaration(streams: [modest, .init(id: 2, service: .once(desiredAccuracy: 0))]))
        #expect(self.said(device) == [.best])
        // It has its position.
        device.fix()
        #expect(self.said(device) == [.hundredMetres])
    }

    @Test func anAppThatMayNotKnowPreciselyNeedsNoReceiver() {
        var device = Self.device(.standard(StandardOptions()))
        device.feed(.accuracySet(Device.app, precise: false))
        #expect(self.said(device) == [.hundredMetres])
    }

    @Test func aBoundaryIsFoundByTheBest() {
        var device = Device.monitoring()
        _ = device.opened()
        device.add("home")
        #expect(self.said(device).isEmpty && device.effects.contains(.sensor(.receiver, isOn: true)))
    }

    @Test func aPushIsAnsweredWithTheBest() {
        var device = Device.sharing()
        device.connect(1)
        device.declare(
            1,
            Declaration(streams: [.init(id: 1, service: .standard(StandardOptions(desiredAccuracy: 100_000)))])
        )
        #expect(self.said(device) == [.hundredMetres])
        _ = device.push()
        #expect(self.said(device) == [.best])
    }
}

internal import Testing

@testable internal import WhereaboutsLocationEngine

/// Goal: a device at rest does not keep its receiver on for apps that already know that it rests.
@Suite struct StillRestTests {
    /// A receiver that delivers a position each second while it has power, the first one after a second.
    private struct Receiver {
        var isOn = false
        var seconds = 0
        var secondsOn = 0

        mutating func heard(_ effects: [Engine.Effect]) {
            for effect in effects {
                if case .sensor(.receiver, let isOn) = effect { self.isOn = isOn }
            }
        }
    }

    private static func live() -> (Device, Receiver) {
        var device = Device()
        device.connect(1)
        device.feed(.authorizationSet(Device.app, .always))
        device.declare(1, sessions: [(1, .whenInUse)], streams: [1])
        var receiver = Receiver()
        receiver.isOn = true
        return (device, receiver)
    }

    /// Lets seconds pass at a place, with the receiver's fixes while it is on.
    private static func live(_ device: inout Device, _ receiver: inout Receiver, for seconds: Int, latitude: Int32) {
        for _ in 0..<seconds {
            let wasOn = receiver.isOn
            receiver.heard(device.pass(1))
            receiver.seconds += 1
            if receiver.isOn { receiver.secondsOn += 1 }
            guard wasOn, receiver.isOn else { continue }
            device.fix(latitude: latitude)
            receiver.heard(device.effects)
        }
    }

    @Test func aDayAtADeskTakesAnEighthOfTheTime() {
        var (device, receiver) = Self.live()
        Self.live(&device, &receiver, for: 310, latitude: 425_000_000)
        #expect(device.engine.sensors[.receiver].isResting)
        receiver.secondsOn = 0
        receiver.seconds = 0
        Self.live(&device, &receiver, for: 8 * 3600, latitude: 425_000_000)
        let share = Double(receiver.secondsOn) / Double(receiver.seconds)
        #expect((0.05...0.14).contains(share), "\(share)")
    }

    /// Goal: a departure is detected at the next position check, and the device is followed from then on.
    @Test func aDeviceThatMovesIsFollowed() {
        var (device, receiver) = Self.live()
        Self.live(&device, &receiver, for: 400, latitude: 425_000_000)
        Self.live(&device, &receiver, for: 30, latitude: 425_020_000)
        #expect(receiver.isOn && !device.engine.sensors[.receiver].isResting)
        receiver.secondsOn = 0
        Self.live(&device, &receiver, for: 100, latitude: 425_020_000)
        #expect(receiver.secondsOn == 100)
    }

    /// Goal: an app that requests a position does not wait for the end of the receiver's pause.
    @Test func anotherStreamEndsTheRest() {
        var (device, receiver) = Self.live()
        Self.live(&device, &receiver, for: 320, latitude: 425_000_000)
        #expect(device.engine.sensors[.receiver].isResting)
        device.declare(1, sessions: [(1, .whenInUse)], streams: [1, 2])
        #expect(device.effects.contains(.sensor(.receiver, isOn: true)))
    }

    @Test func nobodyIsToldThatTheReceiverKnowsNothing() {
        var (device, receiver) = Self.live()
        Self.live(&device, &receiver, for: 320, latitude: 425_000_000)
        let effects = device.pass(14)
        #expect(
            !effects.contains {
                if case .tell(_, .update(let update, _)) = $0 { update.fix == nil } else { false }
            }
        )
        #expect(!device.engine.sensors[.receiver].isUnavailable)
    }

    /// An app that is terminated after its pause is launched when the device moves, not before (WWDC23, "Discover
    /// streamlined location updates").
    @Test(arguments: [310, 320, 330]) func aTerminatedAppIsLaunchedOnlyWhenTheDeviceMoves(_ seconds: Int) {
        var device = Device(.always)
        device.connect(1, isManaged: true)
        device.declare(1, sessions: [(1, .always)], streams: [1])
        var receiver = Receiver()
        receiver.isOn = true
        Self.live(&device, &receiver, for: seconds, latitude: 425_000_000)
        receiver.heard(device.feed(.clientVanished(ClientID(1))))
        receiver.heard(device.feed(.appExited(Device.app, .signalled(9))))
        receiver.secondsOn = 0
        receiver.seconds = 0
        Self.live(&device, &receiver, for: 3600, latitude: 425_000_000)
        #expect(device.engine.apps[Device.app]?.lifecycle.isGone == true)
        let share = Double(receiver.secondsOn) / Double(receiver.seconds)
        #expect((0.05...0.14).contains(share), "\(share)")
        func isLaunching() -> Bool { device.engine.apps[Device.app]?.lifecycle.isLaunching == true }
        // A launched app that does not connect is ended, so check after each second.
        for _ in 0..<60 where !isLaunching() { Self.live(&device, &receiver, for: 1, latitude: 425_020_000) }
        #expect(isLaunching())
    }
}

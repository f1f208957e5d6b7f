internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

extension Device {
    /// The owner of the beacons of these tests.
    static let shop = Beacon.OwnerID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0)

    static func beacon(_ major: UInt16 = 1, _ minor: UInt16 = 1, of owner: Beacon.OwnerID = Device.shop) -> Beacon {
        Beacon(uuid: owner, major: major, minor: minor)
    }

    static func near(_ major: UInt16? = nil, _ minor: UInt16? = nil) -> Condition {
        .beacon(BeaconIdentity(uuid: Device.shop, major: major, minor: minor))
    }

    /// An app in the foreground with Always that reads a monitor, on a device with a scanner.
    static func scanning() -> Device {
        var device = Device()
        device.feed(.sensed(.ready(.scanner)))
        device.feed(.authorizationSet(Device.app, .always))
        device.connect(1, isManaged: true)
        device.readMonitor(1)
        return device
    }

    /// An app in the foreground that ranges beacons, on a device with a scanner.
    static func ranging(
        _ identities: [BeaconIdentity] = [BeaconIdentity(uuid: Device.shop)],
        setting: Authorization.Setting = .whileUsing
    ) -> Device {
        var device = Device()
        device.feed(.sensed(.ready(.scanner)))
        device.feed(.authorizationSet(Device.app, setting))
        device.connect(1, isManaged: true)
        device.range(identities)
        return device
    }

    mutating func range(_ identities: [BeaconIdentity], by client: UInt64 = 1) {
        let streams = identities.enumerated().map { number, identity in
            Declaration.Stream(id: UInt64(number + 20), service: .ranging(identity))
        }
        self.declare(client, Declaration(streams: streams))
    }

    /// The scanner reports that it listens, or what it received.
    mutating func scan(_ beacon: Beacon? = nil, rssi: Int8 = -65) {
        self.feed(.sensed(.scanned(beacon.map { Advertisement(beacon: $0, rssi: rssi, measuredPower: -59) })))
    }

    /// Lets seconds pass; the scanner reports once a second while it is on.
    @discardableResult
    mutating func listen(_ seconds: Int, to beacons: [Beacon] = [], rssi: Int8 = -65) -> [Engine.Effect] {
        var all: [Engine.Effect] = []
        for _ in 0..<seconds {
            all += self.pass(1)
            if self.engine.sensors[.scanner].isOff { continue }
            for beacon in beacons {
                self.scan(beacon, rssi: rssi)
                all += self.effects
            }
            if beacons.isEmpty {
                self.scan()
                all += self.effects
            }
        }
        self.effects = all
        return all
    }

    /// The ranged beacons that the last input delivered to a stream, one list for each report.
    func reports(to stream: UInt64 = 20) -> [[RangedBeacon]] {
        self.effects.compactMap { effect in
            guard case .tell(_, .update(let update, stream: stream)) = effect,
                case .beacons(let survey)? = update.element
            else { return nil }
            return survey.beacons
        }
    }
}

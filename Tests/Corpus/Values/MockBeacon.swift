import CoreLocation

final class MockBeacon: CLBeacon {
    private let _uuid: UUID
    private let _major: NSNumber
    private let _minor: NSNumber
    private let _proximity: CLProximity

    init(uuid: UUID, major: UInt16, minor: UInt16, proximity: CLProximity) {
        _uuid = uuid
        _major = NSNumber(value: major)
        _minor = NSNumber(value: minor)
        _proximity = proximity
        super.init()
    }

    required init?(coder: NSCoder) {
        fatalError("not used")
    }

    override var uuid: UUID { _uuid }
    override var major: NSNumber { _major }
    override var minor: NSNumber { _minor }
    override var proximity: CLProximity { _proximity }
    override var accuracy: CLLocationAccuracy { 1.2 }
    override var rssi: Int { -61 }
}

extension Array where Element == CLBeacon {
    var nearest: CLBeacon? {
        filter { $0.accuracy >= 0 && $0.proximity != .unknown }.min { $0.accuracy < $1.accuracy }
    }
}

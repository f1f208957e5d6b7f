internal import WhereaboutsGeodesy
internal import WhereaboutsLocationEngine
internal import WhereaboutsLocationHost
internal import WhereaboutsVocabulary

/// The device's scanner of beacons: while the engine needs it, one reception of each beacon a second, without noise.
final class VirtualScanner: VirtualSensor {
    private static let period: Int64 = 1_000_000_000
    /// The weakest signal that is received, in dBm: a usual figure of Bluetooth Low Energy receivers; the standard requires -70.
    private static let sensitivity: Int8 = -95

    private let world: World
    var sensor: Sensor { .scanner }
    private(set) var next = Int64.max

    init(world: World) {
        self.world = world
    }

    func start(now: Int64) {
        guard self.next == .max else { return }
        self.next = now + Self.period
    }

    func stop() { self.next = .max }

    func tick(now: Int64, epoch: Int64) -> [SensorReport] {
        self.next = now + Self.period
        let position = self.world.truth(at: now).position
        let heard = self.world.beacons.compactMap { beacon -> SensorReport? in
            let way = Geodesic.inverse(from: position, to: GeodeticCoordinate(beacon.place)).distance
            guard
                let rssi = PathLoss.rssi(at: max(way.millimeters, 1), measuredPower: beacon.measuredPower),
                rssi >= Self.sensitivity
            else { return nil }
            let advertisement = Advertisement(
                beacon: Beacon(beacon),
                rssi: rssi,
                measuredPower: beacon.measuredPower
            )
            return .scanned(advertisement)
        }
        return heard.isEmpty ? [.scanned(nil)] : heard
    }
}

extension Beacon {
    fileprivate init(_ beacon: PlacedBeacon) {
        self.init(uuid: OwnerID(beacon.uuid), major: beacon.major, minor: beacon.minor)
    }
}

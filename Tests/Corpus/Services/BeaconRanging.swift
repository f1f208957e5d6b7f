import CoreLocation

final class BeaconRanger: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private var beacons: [CLBeaconIdentityConstraint: [CLBeacon]] = [:]

    func start(_ uuid: UUID) {
        guard CLLocationManager.isRangingAvailable() else { return }
        manager.delegate = self
        let constraint = CLBeaconIdentityConstraint(uuid: uuid)
        beacons[constraint] = []
        manager.startRangingBeacons(satisfying: constraint)
    }

    func stop() {
        for constraint in manager.rangedBeaconConstraints { manager.stopRangingBeacons(satisfying: constraint) }
    }

    func locationManager(
        _ manager: CLLocationManager,
        didRange beacons: [CLBeacon],
        satisfying constraint: CLBeaconIdentityConstraint
    ) {
        self.beacons[constraint] = beacons.sorted { $0.rssi > $1.rssi }
    }

    func locationManager(
        _ manager: CLLocationManager,
        didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
        error: any Error
    ) {
        beacons[beaconConstraint] = nil
    }
}

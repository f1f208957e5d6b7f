import CoreLocation

final class RegionMonitor: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    var onEntry: ((String) -> Void)?

    func watch(_ center: CLLocationCoordinate2D, named name: String) {
        guard CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self) else { return }
        manager.delegate = self
        let radius = min(200, manager.maximumRegionMonitoringDistance)
        let region = CLCircularRegion(center: center, radius: radius, identifier: name)
        manager.startMonitoring(for: region)
        manager.requestState(for: region)
    }

    func stopAll() {
        for region in manager.monitoredRegions { manager.stopMonitoring(for: region) }
    }

    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {}

    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
        if state == .inside { onEntry?(region.identifier) }
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) { onEntry?(region.identifier) }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}

    func locationManager(
        _ manager: CLLocationManager,
        monitoringDidFailFor region: CLRegion?,
        withError error: any Error
    ) {
        if case CLError.regionMonitoringDenied = error { stopAll() }
    }
}

import CoreLocation
import Foundation

/// The model of a museum guide: a monitor reports that its owner is in the museum, whether it runs or not; then it
/// ranges the beacons of the rooms.
@MainActor final class MuseumGuide: NSObject, @MainActor CLLocationManagerDelegate {
    /// The UUID of the museum's beacons; the first number is the floor, the second one the room.
    nonisolated static let museum = UUID(
        uuid: (0xE2, 0xC5, 0x6D, 0xB5, 0xDF, 0xFB, 0x48, 0xD2, 0xB0, 0x60, 0, 0, 0, 0, 0, 1)
    )

    private let manager = CLLocationManager()
    private let session = CLServiceSession(authorization: .always)
    private let constraint = CLBeaconIdentityConstraint(uuid: MuseumGuide.museum)
    /// The nearest rooms of this launch, without repetitions in a row.
    private(set) var rooms: [UInt16] = []
    /// All ranging results of this launch.
    private(set) var reports: [[CLBeacon]] = []
    private(set) var errors: [CLError.Code] = []
    /// The events of the monitor in this launch.
    private(set) var events: [CLMonitor.Event] = []
    /// Whether a region of the same beacons was entered or left, in this launch.
    private(set) var crossings: [String] = []
    /// The number of times that it learned that it is in the museum, in all launches.
    var reminders: Int { UserDefaults.standard.integer(forKey: "reminders") }

    /// All visits to the museum, over all launches: the floor that was entered, and "out".
    var visits: [String] { UserDefaults.standard.stringArray(forKey: "visits") ?? [] }

    override init() {
        super.init()
        self.manager.delegate = self
        Task { await self.watch() }
    }

    /// Ranges beacons wherever the device is.
    func range() { self.manager.startRangingBeacons(satisfying: self.constraint) }

    /// Monitors the museum with the older API.
    func watchRegion() {
        let region = CLBeaconRegion(uuid: Self.museum, identifier: "museum")
        region.notifyEntryStateOnDisplay = true
        self.manager.startMonitoring(for: region)
    }

    /// Asks whether the device is in the museum.
    func requestState() {
        for region in self.manager.monitoredRegions { self.manager.requestState(for: region) }
    }

    private func watch() async {
        let monitor = await CLMonitor("museum")
        await monitor.add(
            CLMonitor.BeaconIdentityCondition(uuid: Self.museum),
            identifier: "museum",
            assuming: .unsatisfied
        )
        do {
            for try await event in await monitor.events { self.take(event) }
        } catch {}
    }

    private func take(_ event: CLMonitor.Event) {
        guard !event.authorizationRequestInProgress, !event.accuracyLimited else { return }
        self.events.append(event)
        let beacon = event.refinement as? CLMonitor.BeaconIdentityCondition
        switch event.state {
        case .satisfied:
            UserDefaults.standard.set(self.visits + ["in \(beacon?.major ?? 0)"], forKey: "visits")
            self.range()
        case .unsatisfied:
            UserDefaults.standard.set(self.visits + ["out"], forKey: "visits")
            self.manager.stopRangingBeacons(satisfying: self.constraint)
        case .unknown, .unmonitored: break
        }
    }

    func locationManager(
        _ manager: CLLocationManager,
        didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {
        self.reports.append(beacons)
        guard let nearest = beacons.first, nearest.proximity != .unknown else { return }
        if self.rooms.last != nearest.minor.uint16Value { self.rooms.append(nearest.minor.uint16Value) }
    }

    func locationManager(
        _ manager: CLLocationManager,
        didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint,
        error: any Error
    ) {
        if let error = error as? CLError { self.errors.append(error.code) }
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        self.crossings.append("enter \(region.identifier)")
    }

    func locationManager(
        _ manager: CLLocationManager,
        didDetermineState state: CLRegionState,
        for region: CLRegion
    ) {
        if state == .inside { UserDefaults.standard.set(self.reminders + 1, forKey: "reminders") }
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        self.crossings.append("exit \(region.identifier)")
    }

    func locationManager(
        _ manager: CLLocationManager,
        monitoringDidFailFor region: CLRegion?,
        withError error: any Error
    ) {
        self.crossings.append("fail \(region?.identifier ?? "")")
    }
}

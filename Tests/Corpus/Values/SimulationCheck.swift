@preconcurrency import CoreLocation

extension CLLocation {
    var isFake: Bool { sourceInformation?.isSimulatedBySoftware ?? false }
    var isFromAccessory: Bool { sourceInformation?.isProducedByAccessory == true }
    var storey: String { floor.map { "Floor \($0.level)" } ?? "-" }

    static func simulated(at coordinate: CLLocationCoordinate2D) -> CLLocation {
        let info = CLLocationSourceInformation(softwareSimulationState: true, andExternalAccessoryState: false)
        return CLLocation(
            coordinate: coordinate,
            altitude: 0,
            horizontalAccuracy: 1,
            verticalAccuracy: 1,
            course: 0,
            courseAccuracy: 0,
            speed: 0,
            speedAccuracy: 0,
            timestamp: .now,
            sourceInfo: info
        )
    }
}

actor LocationCache {
    private var latest: CLLocation?

    func store(_ location: CLLocation) { latest = location }
    func current() -> CLLocation? { latest }
}

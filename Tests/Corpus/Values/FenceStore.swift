import CoreLocation

struct Fence: Codable, Identifiable {
    let id: String
    var latitude: CLLocationDegrees
    var longitude: CLLocationDegrees
    var radius: CLLocationDistance

    var region: CLCircularRegion {
        let region = CLCircularRegion(
            center: CLLocationCoordinate2DMake(latitude, longitude),
            radius: min(radius, CLLocationDistanceMax),
            identifier: id
        )
        region.notifyOnEntry = true
        region.notifyOnExit = false
        return region
    }

    init?(_ region: CLRegion) {
        guard let circle = region as? CLCircularRegion else { return nil }
        id = circle.identifier
        latitude = circle.center.latitude
        longitude = circle.center.longitude
        radius = circle.radius
    }
}

final class FenceStore {
    private var regions: Set<CLRegion> = []

    func insert(_ region: CLRegion) { regions.insert(region) }

    func regions(around coordinate: CLLocationCoordinate2D) -> [CLCircularRegion] {
        regions.compactMap { $0 as? CLCircularRegion }.filter { $0.contains(coordinate) }
    }
}

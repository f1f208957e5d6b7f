internal import _LocationEssentials

struct EssentialWaypoint: Sendable {
    var coordinate = CLLocationCoordinate2D()
    var name = ""
    var floor: Int?

    func distance(from location: CLLocation) -> CLLocationDistance {
        location.distance(from: CLLocation(latitude: coordinate.latitude, longitude: coordinate.longitude))
    }
}

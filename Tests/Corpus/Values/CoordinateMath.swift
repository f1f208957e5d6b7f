import CoreLocation

extension CLLocationCoordinate2D {
    static let cupertino = CLLocationCoordinate2D(latitude: 37.3349, longitude: -122.00902)

    var isValid: Bool { CLLocationCoordinate2DIsValid(self) }

    func bearing(to other: CLLocationCoordinate2D) -> CLLocationDirection {
        let from = latitude * .pi / 180, to = other.latitude * .pi / 180
        let delta = (other.longitude - longitude) * .pi / 180
        let y = sin(delta) * cos(to)
        let x = cos(from) * sin(to) - sin(from) * cos(to) * cos(delta)
        return (atan2(y, x) * 180 / .pi + 360).truncatingRemainder(dividingBy: 360)
    }

    func distance(to other: CLLocationCoordinate2D) -> CLLocationDistance {
        CLLocation(latitude: latitude, longitude: longitude)
            .distance(from: CLLocation(latitude: other.latitude, longitude: other.longitude))
    }
}

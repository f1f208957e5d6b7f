import CoreLocation

extension CLLocation {
    func moved(to coordinate: CLLocationCoordinate2D) -> CLLocation {
        CLLocation(
            coordinate: coordinate,
            altitude: altitude,
            horizontalAccuracy: horizontalAccuracy,
            verticalAccuracy: verticalAccuracy,
            course: course,
            courseAccuracy: courseAccuracy,
            speed: speed,
            speedAccuracy: speedAccuracy,
            timestamp: timestamp
        )
    }

    var isUsable: Bool {
        horizontalAccuracy >= 0 && horizontalAccuracy < kCLLocationAccuracyHundredMeters
            && abs(timestamp.timeIntervalSinceNow) < 15 && CLLocationCoordinate2DIsValid(coordinate)
    }

    convenience init(_ coordinate: CLLocationCoordinate2D) {
        self.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }
}

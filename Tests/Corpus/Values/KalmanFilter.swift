import CoreLocation

struct KalmanFilter {
    private var variance: Double = -1
    private var latitude: CLLocationDegrees = 0
    private var longitude: CLLocationDegrees = 0
    private var last: Date?
    private let noise: CLLocationSpeed = 3

    mutating func process(_ location: CLLocation) -> CLLocationCoordinate2D? {
        guard location.horizontalAccuracy > 0 else { return nil }
        let accuracy = max(location.horizontalAccuracy, 1)
        if variance < 0 {
            latitude = location.coordinate.latitude
            longitude = location.coordinate.longitude
            variance = accuracy * accuracy
        } else {
            let elapsed = location.timestamp.timeIntervalSince(last ?? location.timestamp)
            if elapsed > 0 { variance += elapsed * noise * noise }
            let gain = variance / (variance + accuracy * accuracy)
            latitude += gain * (location.coordinate.latitude - latitude)
            longitude += gain * (location.coordinate.longitude - longitude)
            variance *= 1 - gain
        }
        last = location.timestamp
        return CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
    }
}

import CoreLocation

extension CLLocationDistance {
    var kilometers: Double { self / 1000 }
    var miles: Double { self / 1609.344 }
}

extension CLLocationSpeed {
    var kilometersPerHour: Double { Swift.max(self, 0) * 3.6 }
}

extension CLLocationDirection {
    var compassPoint: String {
        let points = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
        return points[Int((self + 22.5) / 45) & 7]
    }
}

extension CLLocation {
    var speedText: String { String(format: "%.1f km/h", speed.kilometersPerHour) }
    var measured: Measurement<UnitLength> { Measurement(value: altitude, unit: .meters) }
}

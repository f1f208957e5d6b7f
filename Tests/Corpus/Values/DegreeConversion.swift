import CoreLocation

extension Double {
    func haversine() -> Double { pow(sin(self / 2), 2) }

    func mercatorLatitude() -> Double { atan(exp(self)) * 2 - .pi / 2 }

    func mercatorNorthing() -> Double { log(tan(.pi / 4 + self / 2)) }
}

extension CLLocationDegrees {
    var radians: Double { self * .pi / 180 }

    func distance(acrossLongitudes delta: CLLocationDegrees) -> CLLocationDistance {
        let half = cos(radians) * sin(delta.radians / 2)
        return 2 * 6_371_000 * atan2(sqrt(half * half), sqrt(1 - half * half))
    }
}

extension CLLocationDistance {
    func slant(climbing height: CLLocationDistance) -> CLLocationDistance { hypot(self, height) }

    var horizonAngle: Double { acos(6_371_000 / (6_371_000 + self)) + asin(0) }
}

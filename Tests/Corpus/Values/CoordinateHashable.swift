import CoreLocation

extension CLLocationCoordinate2D: @retroactive Hashable {
    public func hash(into hasher: inout Hasher) {
        hasher.combine(latitude)
        hasher.combine(longitude)
    }
}

struct VisitedPlaces {
    private(set) var counts: [CLLocationCoordinate2D: Int] = [:]

    mutating func visit(_ place: CLLocationCoordinate2D) {
        counts[place, default: 0] += 1
    }
}

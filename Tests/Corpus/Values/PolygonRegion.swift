import CoreLocation

final class PolygonRegion: CLCircularRegion {
    private let corners: [CLLocationCoordinate2D]

    init(corners: [CLLocationCoordinate2D], identifier: String) {
        self.corners = corners
        let middle = CLLocationCoordinate2D(
            latitude: corners.map(\.latitude).reduce(0, +) / Double(max(corners.count, 1)),
            longitude: corners.map(\.longitude).reduce(0, +) / Double(max(corners.count, 1))
        )
        let here = CLLocation(latitude: middle.latitude, longitude: middle.longitude)
        let radius = corners.map { CLLocation(latitude: $0.latitude, longitude: $0.longitude).distance(from: here) }
        super.init(center: middle, radius: radius.max() ?? 0, identifier: identifier)
    }

    required init?(coder: NSCoder) {
        fatalError("init(coder:) has not been implemented")
    }

    override func contains(_ coordinate: CLLocationCoordinate2D) -> Bool {
        guard super.contains(coordinate) else { return false }
        var inside = false
        var previous = corners.last
        for corner in corners {
            if let last = previous, (corner.latitude > coordinate.latitude) != (last.latitude > coordinate.latitude) {
                let slope = (last.longitude - corner.longitude) / (last.latitude - corner.latitude)
                if coordinate.longitude < slope * (coordinate.latitude - corner.latitude) + corner.longitude {
                    inside.toggle()
                }
            }
            previous = corner
        }
        return inside
    }
}

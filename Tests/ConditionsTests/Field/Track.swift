internal import Foundation
internal import WhereaboutsGeodesy

/// A way through the world with its times.
struct Track: Sendable {
    struct Point: Sendable {
        let second: Double
        let place: QuantizedCoordinate
    }

    let name: String
    let points: [Point]

    /// A way at one speed, straight for 4 km with two turns.
    static func straight(_ name: String, speed: Double) -> Track {
        var corners = [(second: 0.0, east: 0.0, north: 0.0)]
        for (east, north) in [(2000.0, 300.0), (600, 1200), (100, 1700)] {
            guard let last = corners.last else { continue }
            let second = last.second + (east * east + north * north).squareRoot() / speed
            corners.append((second, last.east + east, last.north + north))
        }
        return Track(name, through: corners)
    }

    init(name: String, points: [Point]) {
        self.name = name
        self.points = points
    }

    /// A way through corners, with a point a minute: longer pauses are taken for gaps of a recording.
    init(_ name: String, through corners: [(second: Double, east: Double, north: Double)]) {
        var all: [Point] = []
        for (from, to) in zip(corners, corners.dropFirst()) {
            for second in stride(from: from.second, to: to.second, by: 60) {
                let share = (second - from.second) / (to.second - from.second)
                let east = from.east + (to.east - from.east) * share
                let north = from.north + (to.north - from.north) * share
                all.append(Point(second: second, place: Self.origin.offset(east: east, north: north)))
            }
        }
        if let end = corners.last {
            all.append(Point(second: end.second, place: Self.origin.offset(east: end.east, north: end.north)))
        }
        self.init(name: name, points: all)
    }

    static let origin = QuantizedCoordinate(latitude: 480_000_000, longitude: 110_000_000)

    /// Where the device is each second, and its speed in metres a second; pauses of over two minutes are left out.
    var seconds: [(second: Double, place: QuantizedCoordinate, speed: Double)] {
        var all: [(second: Double, place: QuantizedCoordinate, speed: Double)] = []
        for (from, to) in zip(self.points, self.points.dropFirst()) where to.second - from.second <= 120 {
            let way = Geodesic.inverse(from: from.place.coordinate, to: to.place.coordinate).distance.value
            let speed = way / max(to.second - from.second, 1)
            var second = from.second.rounded(.up)
            while second < to.second {
                let share = (second - from.second) / (to.second - from.second)
                let latitude = Double(to.place.latitude - from.place.latitude) * share
                let longitude = Double(to.place.longitude - from.place.longitude) * share
                let place = QuantizedCoordinate(
                    latitude: Int(from.place.latitude) + Int(latitude.rounded()),
                    longitude: Int(from.place.longitude) + Int(longitude.rounded())
                )
                all.append((second, place, speed))
                second += 1
            }
        }
        return all
    }
}

extension QuantizedCoordinate {
    /// Returns the point that many metres away, on a sphere: the errors of a model need no ellipsoid.
    func offset(east: Double, north: Double) -> QuantizedCoordinate {
        let units = 89.932
        let parallel = cos(self.coordinate.latitude * .pi / 180)
        return QuantizedCoordinate(
            latitude: Int(self.latitude) + Int((north * units).rounded()),
            longitude: Int(self.longitude) + Int((east * units / parallel).rounded())
        )
    }
}

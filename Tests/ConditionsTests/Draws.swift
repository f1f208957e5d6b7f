internal import WhereaboutsConditions
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// Seeded random positions, lengths and errors. They use no function of the mathematics library, so all machines draw
/// the same ones.
extension SeededGenerator {
    /// A random point, often at a place where grids fail: a pole, the date line, the equator.
    mutating func point() -> QuantizedCoordinate {
        let near = Int.random(in: -50_000...50_000, using: &self)
        let latitude = [0, 900_000_000 - abs(near), -900_000_000 + abs(near), near, 600_000_000 + near]
        let longitude = [0, 1_799_999_999 - abs(near), -1_800_000_000 + abs(near), near]
        let row = Int.random(in: 0..<8, using: &self)
        let column = Int.random(in: 0..<8, using: &self)
        return QuantizedCoordinate(
            latitude: row < latitude.count && row > 0
                ? latitude[row] : Int.random(in: -900_000_000...900_000_000, using: &self),
            longitude: column < longitude.count && column > 0
                ? longitude[column] : Int.random(in: -1_800_000_000...1_799_999_999, using: &self)
        )
    }

    /// A radius in millimetres, from metres to thousands of kilometres.
    mutating func radius() -> Int64 {
        let digits = Int.random(in: 0...10, using: &self)
        let most = (0..<digits).reduce(Int64(2)) { power, _ in power * 10 }
        return Int64.random(in: 1...min(most, ConditionCircle.radiusMillimetersMax), using: &self)
    }

    mutating func circle() -> ConditionCircle {
        let (center, radius) = (self.point(), self.radius())
        guard let circle = ConditionCircle(center: center, radius: radius) else {
            fatalError("a radius of \(radius) mm")
        }
        return circle
    }

    /// A direction in degrees.
    mutating func azimuth() -> Double { Double.random(in: -180...180, using: &self) }

    /// A draw from a normal distribution with σ = 1: the sum of twelve uniform draws, minus six.
    mutating func normal() -> Double {
        (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &self) }
    }
}

extension QuantizedCoordinate {
    /// Returns the point that lies that many metres away.
    func moved(_ meters: Double, azimuth: Double = 90) -> QuantizedCoordinate {
        QuantizedCoordinate(
            Geodesic.direct(from: self.coordinate, azimuth: azimuth, distance: Meters(meters)).point
        )
    }
}

internal import Foundation

/// A position for people, with as many digits as its accuracy justifies.
struct PlaceText {
    private let latitude: String
    private let longitude: String
    private let accuracy: Double

    init(latitude: Double, longitude: Double, accuracy: Double) {
        // A degree of latitude has about 111 km. The last digit is then smaller than the accuracy.
        let digits = min(max(Int(log10(111_000 / max(accuracy, 0.1)).rounded(.up)), 2), 6)
        self.latitude = String(format: "%.\(digits)f", latitude)
        self.longitude = String(format: "%.\(digits)f", longitude)
        self.accuracy = accuracy
    }

    /// Coordinates such as `53.54586,9.96642 ±10 m`.
    var text: String { "\(self.latitude),\(self.longitude) ±\(String(format: "%.0f", self.accuracy)) m" }

    /// A link to a map that shows the area of the accuracy.
    var map: String {
        // The equator has 40,075 km; at zoom z it is 2^z tiles wide.
        let zoom = min(max(Int(log2(40_075_000 / max(self.accuracy, 1))), 3), 17)
        let (latitude, longitude) = (self.latitude, self.longitude)
        return "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)#map=\(zoom)/\(latitude)/\(longitude)"
    }
}

import CoreLocation

/// A location that an app gives a name, archived with it.
class NamedLocation: CLLocation, @unchecked Sendable {
    let title: String

    init(title: String, coordinate: CLLocationCoordinate2D) {
        self.title = title
        super.init(
            coordinate: coordinate,
            altitude: 0,
            horizontalAccuracy: 0,
            verticalAccuracy: -1,
            timestamp: Date()
        )
    }

    required init?(coder: NSCoder) {
        title = coder.decodeObject(of: NSString.self, forKey: "title").map { $0 as String } ?? ""
        super.init(coder: coder)
    }

    override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(title as NSString, forKey: "title")
    }

    override class var supportsSecureCoding: Bool { true }

    override var description: String { "\(title): \(super.description)" }
}

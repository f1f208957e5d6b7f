// Written with `import CoreLocation` alone, as an app is: on macOS it would compile against Apple's module unchanged.
import CoreLocation
import Testing

/// Declared at top level, because Foundation on Linux cannot archive nested classes.
final class Place: CLLocation, @unchecked Sendable {
    let name: String

    init(_ name: String, latitude: Double, longitude: Double) {
        self.name = name
        super.init(latitude: latitude, longitude: longitude)
    }

    required init?(coder: NSCoder) {
        self.name = coder.decodeObject(of: NSString.self, forKey: "name").map { "\($0)" } ?? ""
        super.init(coder: coder)
    }

    override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(self.name as NSString, forKey: "name")
    }
}

/// Subclasses of Apple's classes that override properties, as in apps and their tests.
@Suite struct SubclassTests {
    final class FixedLocation: CLLocation, @unchecked Sendable {
        override var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: 1, longitude: 0) }
        override var horizontalAccuracy: CLLocationAccuracy { 7 }
    }

    final class FixedVisit: CLVisit {
        override init() { super.init() }
        required init?(coder: NSCoder) { fatalError("not archived") }
        override var arrivalDate: Date { Date(timeIntervalSince1970: 0) }
    }

    final class FixedHeading: CLHeading {
        override var trueHeading: CLLocationDirection { 90 }
    }

    final class FixedBeacon: CLBeacon {
        override var proximity: CLProximity { .near }
    }

    final class FixedFloor: CLFloor {
        override var level: Int { 3 }
    }

    final class FixedPlacemark: CLPlacemark, @unchecked Sendable {
        override var name: String? { "here" }
    }

    final class FixedRegion: CLCircularRegion {
        override func contains(_ coordinate: CLLocationCoordinate2D) -> Bool { true }
    }

    @Test func subclassesTellWhatTheyLike() {
        #expect(FixedLocation().distance(from: CLLocation(latitude: 0, longitude: 0)) > 110_000)
        #expect(FixedLocation(latitude: 0, longitude: 0).horizontalAccuracy == 7)
        #expect(FixedVisit().arrivalDate == Date(timeIntervalSince1970: 0))
        #expect(FixedHeading().trueHeading == 90 && FixedBeacon().proximity == .near && FixedFloor().level == 3)
        #expect(FixedPlacemark(placemark: CLPlacemark()).name == "here")
        #expect(FixedRegion(center: .init(), radius: 1, identifier: "all").contains(kCLLocationCoordinate2DInvalid))
    }

    @Test func subclassesAreArchived() throws {
        let place = Place("Tor", latitude: 52.5, longitude: 13.4)
        let data = try NSKeyedArchiver.archivedData(withRootObject: place, requiringSecureCoding: true)
        let again = try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Place.self, from: data))
        #expect(again.name == "Tor" && again.coordinate.longitude == 13.4)
    }
}

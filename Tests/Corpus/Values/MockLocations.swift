import CoreLocation

final class StubLocation: CLLocation, @unchecked Sendable {
    private let fixed: CLLocationCoordinate2D
    private let fixedSpeed: CLLocationSpeed

    init(coordinate: CLLocationCoordinate2D, speed: CLLocationSpeed) {
        fixed = coordinate
        fixedSpeed = speed
        super.init(latitude: coordinate.latitude, longitude: coordinate.longitude)
    }

    @available(*, unavailable)
    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }

    override var coordinate: CLLocationCoordinate2D { fixed }
    override var speed: CLLocationSpeed { fixedSpeed }
    override var course: CLLocationDirection { 90 }
    override var floor: CLFloor? { StubFloor() }
    override func distance(from location: CLLocation) -> CLLocationDistance { 42 }
}

final class StubFloor: CLFloor {
    override var level: Int { 2 }
}

import CoreLocation

class MockHeading: CLHeading {
    private let degrees: CLLocationDirection

    init(degrees: CLLocationDirection) {
        self.degrees = degrees
        super.init()
    }

    required init?(coder: NSCoder) { nil }

    override var magneticHeading: CLLocationDirection { degrees }
    override var trueHeading: CLLocationDirection { degrees }
    override var headingAccuracy: CLLocationDirection { 5 }
    override var timestamp: Date { Date() }
}

extension CLHeading {
    var bestHeading: CLLocationDirection { trueHeading >= 0 ? trueHeading : magneticHeading }
    var field: CLHeadingComponentValue { (x * x + y * y + z * z).squareRoot() }
}

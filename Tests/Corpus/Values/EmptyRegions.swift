import CoreLocation

final class MockCircle: CLCircularRegion {
    override init() { super.init() }
    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }
    override var identifier: String { "mock" }
}

final class MockBeacons: CLBeaconRegion {
    override init() { super.init() }
    required init?(coder: NSCoder) { fatalError("init(coder:) has not been implemented") }
    override var identifier: String { "mock" }
}

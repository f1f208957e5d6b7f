import CoreLocation

final class MockPlacemark: CLPlacemark, @unchecked Sendable {
    private let city: String

    init(city: String, like placemark: CLPlacemark) {
        self.city = city
        super.init(placemark: placemark)
    }

    required init?(coder: NSCoder) { fatalError("not used") }

    override var locality: String? { city }
    override var isoCountryCode: String? { "DE" }
}

extension CLPlacemark {
    var oneLine: String {
        [subThoroughfare, thoroughfare, locality, administrativeArea, postalCode, country]
            .compactMap { $0 }
            .filter { !$0.isEmpty }
            .joined(separator: ", ")
    }
}

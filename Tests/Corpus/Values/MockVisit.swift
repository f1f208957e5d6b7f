import CoreLocation

final class MockVisit: CLVisit {
    private let place: CLLocationCoordinate2D
    private let from: Date
    private let to: Date

    override var coordinate: CLLocationCoordinate2D { place }
    override var arrivalDate: Date { from }
    override var departureDate: Date { to }
    override var horizontalAccuracy: CLLocationAccuracy { 25 }

    init(place: CLLocationCoordinate2D, from: Date, to: Date = .distantFuture) {
        self.place = place
        self.from = from
        self.to = to
        super.init()
    }

    required init?(coder: NSCoder) {
        fatalError("init(coder:) has not been implemented")
    }
}

extension CLVisit {
    var isOngoing: Bool { departureDate == Date.distantFuture }
    var duration: TimeInterval? { isOngoing ? nil : departureDate.timeIntervalSince(arrivalDate) }
}

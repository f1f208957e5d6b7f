internal import Foundation
internal import WhereaboutsLocationWireMessages

extension CLVisit.Fields {
    /// A visit, as reported by the device; an unknown date stays in the distant past or future.
    init(_ visit: WireVisit) {
        self.init()
        self.coordinate = CLLocationCoordinate2D(
            latitude: Double(visit.latitude) / 1e7,
            longitude: Double(visit.longitude) / 1e7
        )
        self.horizontalAccuracy = Double(visit.radius) / 1000
        if visit.hasArrival { self.arrivalDate = Date(timeIntervalSince1970: Double(visit.arrival) / 1_000_000) }
        if visit.hasDeparture { self.departureDate = Date(timeIntervalSince1970: Double(visit.departure) / 1_000_000) }
    }
}

internal import Foundation
internal import LocationWireMessages

extension CLLocation {
    /// Creates a location from what locationd sent.
    convenience init(_ fix: Whereabouts_Locationwire_V1_Fix) {
        self.init(
            coordinate: CLLocationCoordinate2D(
                latitude: Double(fix.latitude) / 1e7,
                longitude: Double(fix.longitude) / 1e7
            ),
            altitude: fix.hasAltitude ? Double(fix.altitude) / 1000 : 0,
            horizontalAccuracy: Double(fix.horizontalAccuracy) / 1000,
            // An altitude whose uncertainty is unknown is told as 0 m ± unknown, which Apple writes as negative.
            verticalAccuracy: fix.hasAltitude && fix.hasVerticalAccuracy ? Double(fix.verticalAccuracy) / 1000 : -1,
            course: fix.hasCourse ? Double(fix.course) / 100 : -1,
            courseAccuracy: -1,
            speed: fix.hasSpeed ? Double(fix.speed) / 1000 : -1,
            speedAccuracy: -1,
            timestamp: Date(timeIntervalSince1970: Double(fix.time) / 1e6)
        )
    }
}

internal import Foundation
internal import WhereaboutsLocationWireMessages

extension CLLocation {
    /// Creates a location from a fix of locationd.
    convenience init(_ fix: WireFix) {
        var fields = Fields(timestamp: Date(timeIntervalSince1970: Double(fix.time) / 1e6))
        fields.coordinate.latitude = Double(fix.latitude) / 1e7
        fields.coordinate.longitude = Double(fix.longitude) / 1e7
        fields.horizontalAccuracy = Double(fix.horizontalAccuracy) / 1000
        if fix.hasAltitude { fields.altitude = Double(fix.altitude) / 1000 }
        if fix.hasEllipsoidalAltitude { fields.ellipsoidalAltitude = Double(fix.ellipsoidalAltitude) / 1000 }
        // Apple reports an unknown accuracy of the altitude as a negative number.
        if fix.hasAltitude, fix.hasVerticalAccuracy { fields.verticalAccuracy = Double(fix.verticalAccuracy) / 1000 }
        if fix.hasCourse { fields.course = Double(fix.course) / 100 }
        if fix.hasCourse, fix.hasCourseAccuracy { fields.courseAccuracy = Double(fix.courseAccuracy) / 100 }
        if fix.hasSpeed { fields.speed = Double(fix.speed) / 1000 }
        if fix.hasSpeed, fix.hasSpeedAccuracy { fields.speedAccuracy = Double(fix.speedAccuracy) / 1000 }
        if fix.simulated {
            fields.sourceInformation = CLLocationSourceInformation(
                softwareSimulationState: true,
                andExternalAccessoryState: false
            )
        }
        self.init(fields)
    }
}

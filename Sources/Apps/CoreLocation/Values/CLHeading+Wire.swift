internal import Foundation
internal import WhereaboutsLocationWireMessages

extension CLHeading.Fields {
    /// The heading of an update; nil when it is unknown or unavailable.
    init?(_ update: WireUpdate?) {
        guard case .heading(let heading)? = update?.element else { return nil }
        self.init()
        if heading.hasMagnetic { self.magneticHeading = Double(heading.magnetic) / 100 }
        if heading.hasGeographic { self.trueHeading = Double(heading.geographic) / 100 }
        // The accuracy applies to the magnetic heading.
        if heading.hasMagnetic, heading.hasAccuracy { self.headingAccuracy = Double(heading.accuracy) / 100 }
        self.timestamp = Date(timeIntervalSince1970: Double(heading.time) / 1_000_000)
    }

    /// Converts the heading of the device's top to that of another edge; unchanged for orientations without an edge.
    func turned(to orientation: CLDeviceOrientation) -> CLHeading.Fields {
        let turn: Double =
            switch orientation {
            case .portraitUpsideDown: 180
            // The top of the device points left, so its right edge is up.
            case .landscapeLeft: 90
            case .landscapeRight: 270
            case .portrait, .unknown, .faceUp, .faceDown: 0
            }
        func turned(_ angle: Double) -> Double {
            angle < 0 ? angle : (angle + turn).truncatingRemainder(dividingBy: 360)
        }
        var fields = self
        fields.magneticHeading = turned(self.magneticHeading)
        fields.trueHeading = turned(self.trueHeading)
        return fields
    }
}

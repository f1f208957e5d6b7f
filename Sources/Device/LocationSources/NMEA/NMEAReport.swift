/// The sentences that report a position to programs, as a receiver would: RMC, GGA and GST of one time.
///
/// GST contains the accuracy, because GGA has only a dilution of precision, whose largest value means about 400 m: too
/// little for an approximate position of some kilometres. The sentences contain no satellites.
package enum NMEAReport {
    /// The dilution that receivers report for an unknown or very large one.
    private static let dilutionMax = 99.99

    /// The sentences of a fix that knows its time.
    ///
    /// - Parameter fix: the position; its time is at or after 1970.
    /// - Returns: three lines; none for a fix without a time.
    package static func sentences(of fix: SourceFix) -> String {
        guard let time = fix.time, time >= 0 else { return "" }
        let writer = NMEAWriter(milliseconds: Int((time * 1000).rounded()))
        let position =
            NMEAWriter.angle(fix.latitude, degreeDigits: 2, hemispheres: ("N", "S")) + ","
            + NMEAWriter.angle(fix.longitude, degreeDigits: 3, hemispheres: ("E", "W"))
        let knots = Self.field(fix.speed.map { $0 * 3600 / 1852 }, digits: 3)
        // A course that rounds to a whole turn is north.
        let course = Self.field(fix.course.map { $0 >= 359.995 ? 0 : $0 }, digits: 2)
        let isKnown = fix.horizontalAccuracy >= 0
        let dilution = isKnown ? fix.horizontalAccuracy / AccuracyModel.rangeError(isDifferential: false) : .infinity
        let height = Self.field(fix.altitude, digits: 2)
        let separation = fix.altitude.flatMap { altitude in fix.ellipsoidalAltitude.map { $0 - altitude } }
        // Both axes get the same share of the error, because the direction is unknown.
        let deviation = Self.field(isKnown ? fix.horizontalAccuracy / 2.0.squareRoot() : nil, digits: 2)
        return NMEAWriter.sentence("GPRMC,\(writer.time),A,\(position),\(knots),\(course),\(writer.date),,,A")
            + NMEAWriter.sentence(
                "GPGGA,\(writer.time),\(position),1,,\(Self.field(min(max(dilution, 0.01), Self.dilutionMax), digits: 2)),"
                    + "\(height),M,\(Self.field(separation, digits: 2)),M,,"
            )
            + NMEAWriter.sentence(
                "GPGST,\(writer.time),,,,,\(deviation),\(deviation),\(Self.field(fix.verticalAccuracy, digits: 2))"
            )
    }

    /// The sentences of a receiver that does not know where it is.
    ///
    /// - Parameter time: UNIX seconds, at or after 1970.
    /// - Returns: two lines.
    package static func nowhere(at time: Double) -> String {
        let writer = NMEAWriter(milliseconds: Int((max(0, time) * 1000).rounded()))
        return NMEAWriter.sentence("GPRMC,\(writer.time),V,,,,,,,\(writer.date),,,N")
            + NMEAWriter.sentence("GPGGA,\(writer.time),,,,,0,,,,M,,M,,")
    }

    /// A number as a field, which is empty if the value is unknown.
    private static func field(_ value: Double?, digits: Int) -> String {
        guard let value, abs(value) < 1e9 else { return "" }
        let one = (0..<digits).reduce(1.0) { unit, _ in unit * 10 }
        return NMEAWriter.decimal(Int((value * one).rounded()), integerDigits: 1, fractionDigits: digits)
    }
}

/// Converts the error estimates of receivers and gpsd into standard deviations.
///
/// Core Location's `horizontalAccuracy` is √(σ_east² + σ_north²), a radius that holds 65 to 72 % of positions (ADR 0049).
/// If a receiver estimates its own error, its estimate is used. For a receiver that reports only a dilution of
/// precision, the error of its ranges follows from what makers state: u-blox gives 2.5 m (2.0 m with corrections) as
/// the radius that holds half of the positions under an open sky (NEO-M8 data sheet, UBX-15031086), which is √2σ = 3.0
/// m (2.4 m), at an HDOP of about 0.75 (0.9).
///
/// gpsd computes dilution of precision × user equivalent range error at 95 % (3.22: `P_UERE_NO_DGPS` 19 m,
/// `P_UERE_WITH_DGPS` 4.75 m, `V_UERE_NO_DGPS` 23 m, `V_UERE_WITH_DGPS` 5.75 m), unless the receiver estimates. This
/// product is converted back, so that a receiver has the same accuracy through gpsd and without it.
enum AccuracyModel {
    /// The standard deviation of one axis per 95 % bound of that axis: 1 / 1.959964 (normal distribution).
    static let sigmaPerBound95 = 1 / 1.959964
    /// √(σ² + σ²) per radius that contains 95 %: √2 / √(−2 ln 0.05) (Rayleigh distribution).
    static let standardErrorPerRadius95 = 0.577787
    /// √(σ² + σ²) per radius that contains 50 %: √2 / √(−2 ln 0.5) (Rayleigh distribution).
    static let standardErrorPerRadius50 = 1.201122
    /// The standard deviation of one axis per 50 % bound of that axis (normal distribution).
    static let sigmaPerBound50 = 1.482602
    /// VDOP per HDOP if a receiver reports only the latter: the median of the logs of gpsd's test suite is 1.6.
    static let verticalPerHorizontalDilution = 1.6
    /// The smallest accepted error in metres: the noise of a carrier's phase.
    static let least = 0.01

    /// The standard deviation of a range in metres; HDOP times it is the horizontal standard error.
    static func rangeError(isDifferential: Bool) -> Double { isDifferential ? 2.7 : 4 }
    /// The standard deviation of a range in metres as it affects heights, which depend more on uncorrected errors of
    /// the atmosphere.
    static func verticalRangeError(isDifferential: Bool) -> Double { isDifferential ? 3.3 : 4.8 }

    /// gpsd's range errors at 95 % in metres: horizontal and vertical.
    static func rangeErrorsOfGPSD(isDifferential: Bool) -> (horizontal: Double, vertical: Double) {
        isDifferential ? (4.75, 5.75) : (19, 23)
    }

    /// Receivers report 99.99 (or 0) for an unknown dilution of precision.
    static func isKnown(dilution: Double) -> Bool { dilution > 0 && dilution < 99 }

    /// The horizontal standard error in metres for an HDOP; nil when the HDOP is unknown.
    static func horizontalAccuracy(hdop: Double, isDifferential: Bool) -> Double? {
        guard self.isKnown(dilution: hdop) else { return nil }
        return hdop * self.rangeError(isDifferential: isDifferential)
    }

    /// The standard deviation of the height in metres for a VDOP; nil when the VDOP is unknown.
    static func verticalAccuracy(vdop: Double, isDifferential: Bool) -> Double? {
        guard self.isKnown(dilution: vdop) else { return nil }
        return vdop * self.verticalRangeError(isDifferential: isDifferential)
    }

    /// The horizontal standard error in metres of two independent axes; nil if a receiver reports none.
    static func standardError(east: Double, north: Double) -> Double? {
        guard east > 0 || north > 0 else { return nil }
        return (east * east + north * north).squareRoot()
    }
}

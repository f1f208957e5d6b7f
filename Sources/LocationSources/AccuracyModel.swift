/// Converts what receivers and gpsd say about their errors into standard deviations.
///
/// gpsd 3.22 computes its estimates as dilution of precision × user equivalent range error at 95 %
/// (`P_UERE_NO_DGPS` 19 m, `P_UERE_WITH_DGPS` 4.75 m, `V_UERE_NO_DGPS` 23 m, `V_UERE_WITH_DGPS` 5.75 m). Its
/// regression logs show the same figures: HDOP 0.7 gives `eph` 13.3 m. `NMEADecoder` uses them too, so that a receiver
/// reports the same accuracy whether it is read through gpsd or directly; they are cautious for a receiver of today.
enum AccuracyModel {
    /// The standard deviation of one axis per 95 % bound of that axis: 1 / 1.959964 (normal distribution).
    static let sigmaPerBound95 = 1 / 1.959964
    /// √(σ² + σ²) per radius that holds 95 %: √2 / √(−2 ln 0.05) (Rayleigh distribution).
    static let standardErrorPerRadius95 = 0.577787

    /// The 95 % horizontal range error in metres per unit of HDOP.
    static func horizontalRangeError95(isDifferential: Bool) -> Double { isDifferential ? 4.75 : 19 }
    /// The 95 % vertical range error in metres per unit of VDOP.
    static func verticalRangeError95(isDifferential: Bool) -> Double { isDifferential ? 5.75 : 23 }

    /// Receivers say 99.99 (or 0) for a dilution of precision they do not know.
    static func isKnown(dilution: Double) -> Bool { dilution > 0 && dilution < 99 }

    /// The horizontal standard error in metres that an HDOP stands for, or nil when the HDOP is unknown.
    static func horizontalAccuracy(hdop: Double, isDifferential: Bool) -> Double? {
        guard self.isKnown(dilution: hdop) else { return nil }
        return hdop * self.horizontalRangeError95(isDifferential: isDifferential) * self.standardErrorPerRadius95
    }

    /// The standard deviation of the height in metres that a VDOP stands for, or nil when the VDOP is unknown.
    static func verticalAccuracy(vdop: Double, isDifferential: Bool) -> Double? {
        guard self.isKnown(dilution: vdop) else { return nil }
        return vdop * self.verticalRangeError95(isDifferential: isDifferential) * self.sigmaPerBound95
    }

    /// The horizontal standard error in metres of two independent axes.
    static func standardError(east: Double, north: Double) -> Double {
        (east * east + north * north).squareRoot()
    }
}

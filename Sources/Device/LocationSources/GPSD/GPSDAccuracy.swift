/// Converts gpsd's error estimates of one receiver to standard errors.
///
/// If the receiver estimates its error (u-blox `hAcc`, SiRF `EHPE` and others), gpsd passes on that value, which is one
/// standard error. For other receivers, gpsd computes dilution of precision × range error at 95 %. gpsd does not report
/// which of the two a value is, so this type compares it with the dilution in SKY; without a dilution, the driver decides.
struct GPSDAccuracy: Sendable {
    /// The drivers of receivers that estimate their error: u-blox's hAcc, SiRF's EHPE, Allystar's, CASIC's hAcc, GREIS's
    /// position sigma, in one standard error.
    private static let estimating: Set<String> = ["u-blox", "SiRF", "ALLYSTAR", "CASIC", "GREIS"]
    /// An estimate that differs from gpsd's product by less than this fraction counts as the product: gpsd prints three
    /// decimals of metres and two of dilutions.
    private static let tolerance = 0.02

    /// The receiver's driver, as gpsd calls it.
    var driver: String?
    /// The last reported dilutions of precision.
    var hdop, vdop: Double?
    /// The receiver's own standard deviations from GST, for the fix of that time.
    var deviations: (horizontal: Double?, vertical: Double?)?

    private var estimates: Bool { self.driver.map(Self.estimating.contains) ?? false }

    /// The horizontal standard error in metres; from the circle if there is one, otherwise from the two axes.
    func horizontal(eph: Double?, epx: Double?, epy: Double?) -> Double? {
        let told: Double?
        if let known = Self.known(self.deviations?.horizontal) {
            told = known
        } else if let eph = Self.known(eph) {
            told = self.error(eph, self.hdop) {
                $0 * AccuracyModel.standardErrorPerRadius95
            } modelled: {
                (
                    AccuracyModel.rangeErrorsOfGPSD(isDifferential: $0).horizontal,
                    AccuracyModel.rangeError(isDifferential: $0)
                )
            }
        } else if let epx = Self.known(epx), let epy = Self.known(epy) {
            // gpsd before 3.18 computed with 15 m.
            told = AccuracyModel.standardError(
                east: epx * AccuracyModel.sigmaPerBound95,
                north: epy * AccuracyModel.sigmaPerBound95
            )
        } else {
            told = nil
        }
        return told.map { max($0, AccuracyModel.least) }
    }

    /// The standard deviation of the height in metres.
    func vertical(epv: Double?) -> Double? {
        let told =
            Self.known(self.deviations?.vertical)
            ?? Self.known(epv).map {
                self.error($0, self.vdop) {
                    $0 * AccuracyModel.sigmaPerBound95
                } modelled: {
                    (
                        AccuracyModel.rangeErrorsOfGPSD(isDifferential: $0).vertical,
                        AccuracyModel.verticalRangeError(isDifferential: $0)
                    )
                }
            }
        return told.map { max($0, AccuracyModel.least) }
    }

    /// The standard deviation of a course or a speed: the receiver's own, or gpsd's at 95 %.
    func ofMotion(_ error: Double?) -> Double? {
        Self.known(error).map { self.estimates ? $0 : $0 * AccuracyModel.sigmaPerBound95 }
    }

    /// The standard error that corresponds to a figure of gpsd.
    ///
    /// - Parameters:
    ///   - error: gpsd's figure.
    ///   - dilution: the dilution of precision that gpsd may have computed the figure from.
    ///   - at95: the standard error of a bound at 95 %.
    ///   - modelled: gpsd's range error and ours, with corrections or without.
    /// - Returns: metres.
    private func error(
        _ error: Double,
        _ dilution: Double?,
        at95: (Double) -> Double,
        modelled: (_ isDifferential: Bool) -> (theirs: Double, ours: Double)
    ) -> Double {
        if let dilution, AccuracyModel.isKnown(dilution: dilution) {
            for isDifferential in [false, true] {
                let (theirs, ours) = modelled(isDifferential)
                if abs(error - dilution * theirs) <= Self.tolerance * error { return dilution * ours }
            }
        } else if !self.estimates {
            let (theirs, ours) = modelled(false)
            return error / theirs * ours
        }
        return self.estimates ? error : at95(error)
    }

    private static func known(_ error: Double?) -> Double? {
        error.flatMap { $0 > 0 && $0.isFinite ? $0 : nil }
    }
}

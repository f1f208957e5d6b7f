/// Writes the sentences of one epoch: GGA, GSA, RMC, which is what gpsd needs for mode 3 with error estimates.
struct NMEAWriter {
    /// The time of day and the date, as fields.
    let time: String
    let date: String

    /// Creates a writer for the epoch at `milliseconds` of UNIX time.
    init(milliseconds: Int) {
        let civil = UTCTime.civil(milliseconds: milliseconds)
        let second = civil.millisecondOfDay / 1000
        self.time =
            Self.digits(second / 3600, 2) + Self.digits(second / 60 % 60, 2)
            + Self.decimal(second % 60 * 1000 + civil.millisecondOfDay % 1000, integerDigits: 2, fractionDigits: 3)
        self.date = Self.digits(civil.day, 2) + Self.digits(civil.month, 2) + Self.digits(civil.year % 100, 2)
    }

    /// The sentences of an epoch with a fix of nine satellites, HDOP 0.9 and VDOP 1.5.
    ///
    /// The altitude is in metres above mean sea level and not negative, the speed in metres per second, all angles are in
    /// degrees.
    func fix(latitude: Double, longitude: Double, altitude: Double, speed: Double, course: Double) -> String {
        let position =
            Self.angle(latitude, degreeDigits: 2, hemispheres: ("N", "S")) + ","
            + Self.angle(longitude, degreeDigits: 3, hemispheres: ("E", "W"))
        let height = Self.decimal(Int((altitude * 10).rounded()), integerDigits: 1, fractionDigits: 1)
        let knots = Self.decimal(Int((speed * 3600 / 1852 * 1000).rounded()), integerDigits: 1, fractionDigits: 3)
        let track = Self.decimal(Int((course * 100).rounded()) % 36_000, integerDigits: 1, fractionDigits: 2)
        return Self.sentence("GPGGA,\(self.time),\(position),1,09,0.9,\(height),M,40.0,M,,")
            + Self.sentence("GPGSA,A,3,02,05,07,13,15,18,23,29,30,,,,1.7,0.9,1.5")
            + Self.sentence("GPRMC,\(self.time),A,\(position),\(knots),\(track),\(self.date),,,A")
    }

    /// The sentences of an epoch without a fix.
    func void() -> String {
        Self.sentence("GPGGA,\(self.time),,,,,0,00,99.99,,,,,,")
            + Self.sentence("GPGSA,A,1,,,,,,,,,,,,,99.99,99.99,99.99")
            + Self.sentence("GPRMC,\(self.time),V,,,,,,,\(self.date),,,N")
    }

    static func sentence(_ body: String) -> String {
        let checksum = String(NMEASentence.checksum(body.utf8), radix: 16, uppercase: true)
        return "$\(body)*\(checksum.count < 2 ? "0" : "")\(checksum)\r\n"
    }

    /// The two fields `dddmm.mmmmm,H` of an angle.
    static func angle(_ degrees: Double, degreeDigits: Int, hemispheres: (String, String)) -> String {
        let units = Int((abs(degrees) * 60e5).rounded())
        return Self.digits(units / 6_000_000, degreeDigits)
            + Self.decimal(units % 6_000_000, integerDigits: 2, fractionDigits: 5)
            + (degrees < 0 ? ",\(hemispheres.1)" : ",\(hemispheres.0)")
    }

    /// A number of `fractionDigits` decimals, given as an integer in units of the last one.
    static func decimal(_ units: Int, integerDigits: Int, fractionDigits: Int) -> String {
        if units < 0 { return "-" + Self.decimal(-units, integerDigits: integerDigits, fractionDigits: fractionDigits) }
        let one = (0..<fractionDigits).reduce(1) { unit, _ in unit * 10 }
        return Self.digits(units / one, integerDigits) + "." + Self.digits(units % one, fractionDigits)
    }

    static func digits(_ number: Int, _ count: Int) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, count - text.count)) + text
    }
}

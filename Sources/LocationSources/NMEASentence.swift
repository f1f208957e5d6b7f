/// One NMEA 0183 sentence whose checksum is right: its type and its fields.
public struct NMEASentence: Sendable, Hashable {
    /// The types that say something about a position; the raw value is the sentence formatter.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Recommended minimum data: position, speed, course, date.
        case rmc = "RMC"
        /// Fix data: position, quality, HDOP, altitude.
        case gga = "GGA"
        /// Fix data of several constellations.
        case gns = "GNS"
        /// Position and time.
        case gll = "GLL"
        /// Active satellites and dilutions of precision.
        case gsa = "GSA"
        /// Standard deviations of the position.
        case gst = "GST"
        /// Course and speed.
        case vtg = "VTG"
        /// Time and date.
        case zda = "ZDA"
        /// Heading from true north.
        case hdt = "HDT"
        /// Heading from magnetic north.
        case hdm = "HDM"
        /// Heading of a magnetic sensor, its deviation, and the variation.
        case hdg = "HDG"

        /// Whether it tells a heading, and belongs to no epoch.
        var isHeading: Bool {
            switch self {
            case .hdt, .hdm, .hdg: true
            case .rmc, .gga, .gns, .gll, .gsa, .gst, .vtg, .zda: false
            }
        }
    }

    /// GPS, combined, GLONASS, Galileo, BeiDou (two ids), QZSS (two ids), NavIC.
    private static let talkers: Set<String> = ["GP", "GN", "GL", "GA", "GB", "BD", "GQ", "QZ", "GI"]

    /// Compasses (magnetic, and two kinds of gyro), integrated instruments, and turn-rate sensors.
    private static let compassTalkers: Set<String> = ["HC", "HE", "HN", "II", "TI"]

    let kind: Kind
    /// Field 0 is the address (such as `GPRMC`), as the standard counts.
    private let fields: [ArraySlice<UInt8>]

    /// Reads what stands between `$` and the line end.
    ///
    /// - Returns: nil when the talker or the type is none of ours.
    init?(_ body: [UInt8]) throws(NMEAError.Rule) {
        let star = body.count - 3
        guard star >= 0, body[star] == UInt8(ascii: "*"), let high = Self.hexadecimal(body[star + 1]),
            let low = Self.hexadecimal(body[star + 2])
        else { throw .noChecksum }
        let expected = Self.checksum(body[..<star])
        let found = high << 4 | low
        guard expected == found else { throw .badChecksum(expected: expected, found: found) }
        self.fields = body[..<star].split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        let address = String(decoding: self.fields[0], as: UTF8.self)
        let talker = String(address.prefix(2))
        guard address.count == 5, let kind = Kind(rawValue: String(address.suffix(3))),
            Self.talkers.contains(talker) || (kind.isHeading && Self.compassTalkers.contains(talker))
        else { return nil }
        self.kind = kind
    }

    /// The exclusive or of all bytes between `$` and `*`.
    static func checksum(_ body: some Sequence<UInt8>) -> UInt8 {
        body.reduce(0, ^)
    }

    private static func hexadecimal(_ byte: UInt8) -> UInt8? {
        guard let digit = Character(Unicode.Scalar(byte)).hexDigitValue else { return nil }
        return UInt8(digit)
    }

    // MARK: Fields; each throws when a field that is there is wrong, and is nil when it is empty.

    /// The first byte of a field, for flags; fields that later versions of the standard added may be missing.
    func flag(_ index: Int) -> Character? {
        guard self.fields.indices.contains(index), let byte = self.fields[index].first else { return nil }
        return Character(Unicode.Scalar(byte))
    }

    /// All bytes of a field, empty when the field is missing.
    func text(_ index: Int) -> ArraySlice<UInt8> {
        self.fields.indices.contains(index) ? self.fields[index] : []
    }

    private func required(_ index: Int) throws(NMEAError.Rule) -> ArraySlice<UInt8> {
        guard self.fields.indices.contains(index) else { throw .missingField(sentence: self.kind, field: index) }
        return self.fields[index]
    }

    private func bad(_ index: Int) -> NMEAError.Rule {
        .badField(sentence: self.kind, field: index)
    }

    func number(_ index: Int, in range: ClosedRange<Double>) throws(NMEAError.Rule) -> Double? {
        let field = try self.required(index)
        guard !field.isEmpty else { return nil }
        guard let number = DecimalField.double(field), range.contains(number) else { throw self.bad(index) }
        return number
    }

    /// The milliseconds since midnight of a field `hhmmss.sss`; 60 s is a leap second.
    func timeOfDay(_ index: Int) throws(NMEAError.Rule) -> Int? {
        let field = try self.required(index)
        guard !field.isEmpty else { return nil }
        let start = field.startIndex
        guard field.count >= 6, let hour = DecimalField.integer(field[start..<(start + 2)]), hour < 24,
            let minute = DecimalField.integer(field[(start + 2)..<(start + 4)]), minute < 60,
            let second = DecimalField.double(field[(start + 4)...]), second >= 0, second < 61
        else { throw self.bad(index) }
        return (hour * 60 + minute) * 60_000 + Int((second * 1000).rounded())
    }

    /// The days since 1970-01-01 of a field `ddmmyy`.
    ///
    /// Two-digit years are 1980…2079: GPS time begins in January 1980. A receiver whose week counter rolled over says
    /// a date 1,024 weeks early; that is its statement, and it is not corrected here.
    func date(_ index: Int) throws(NMEAError.Rule) -> Int? {
        let field = try self.required(index)
        guard !field.isEmpty else { return nil }
        guard field.count == 6, let number = DecimalField.integer(field) else { throw self.bad(index) }
        let year = number % 100
        let century = year < 80 ? 2000 : 1900
        let days = UTCTime.days(year: century + year, month: number / 100 % 100, day: number / 10_000)
        guard let days else { throw self.bad(index) }
        return days
    }

    /// The days since 1970-01-01 of the three fields day, month, year of ZDA.
    func date(dayAt index: Int) throws(NMEAError.Rule) -> Int? {
        let (day, month, year) = (
            try self.required(index), try self.required(index + 1), try self.required(index + 2)
        )
        guard !day.isEmpty, !month.isEmpty, !year.isEmpty else { return nil }
        guard let day = DecimalField.integer(day), let month = DecimalField.integer(month),
            let year = DecimalField.integer(year), let days = UTCTime.days(year: year, month: month, day: day)
        else { throw self.bad(index) }
        return days
    }

    /// The position of four fields `ddmm.mmmm,N,dddmm.mmmm,E`, in degrees.
    func position(_ index: Int) throws(NMEAError.Rule) -> (latitude: Double, longitude: Double)? {
        guard let latitude = try self.angle(index, degreesMax: 90, positive: "N", negative: "S"),
            let longitude = try self.angle(index + 2, degreesMax: 180, positive: "E", negative: "W")
        else { return nil }
        return (latitude, longitude)
    }

    private func angle(
        _ index: Int,
        degreesMax: Double,
        positive: Character,
        negative: Character
    ) throws(NMEAError.Rule) -> Double? {
        let field = try self.required(index)
        guard !field.isEmpty else { return nil }
        guard DecimalField.isDigit(field[field.startIndex]), let number = DecimalField.double(field) else {
            throw self.bad(index)
        }
        let degrees = (number / 100).rounded(.down)
        let minutes = number - degrees * 100
        let angle = degrees + minutes / 60
        guard minutes < 60, angle <= degreesMax else { throw self.bad(index) }
        switch self.flag(index + 1) {
        case positive: return angle
        case negative: return -angle
        default: throw self.bad(index + 1)
        }
    }
}

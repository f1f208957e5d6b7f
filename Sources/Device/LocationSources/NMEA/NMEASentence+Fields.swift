/// Fields; each reader throws if a field is present and wrong, and returns nil if it is empty.
extension NMEASentence {
    /// The first byte of a field, for flags; fields that later versions of the standard added may be missing.
    func flag(_ index: Int) -> UInt8? {
        let range = self.range(index)
        return range.isEmpty ? nil : self.body[range.lowerBound]
    }

    private func required(_ index: Int) throws(NMEAError.Rule) -> Range<Int> {
        guard index < self.fieldCount else { throw .missingField(sentence: self.kind, field: index) }
        return self.range(index)
    }

    private func bad(_ index: Int) -> NMEAError.Rule {
        .badField(sentence: self.kind, field: index)
    }

    private func integer(_ range: Range<Int>) -> Int? { DecimalField.integer(self.body.span.extracting(range)) }
    private func double(_ range: Range<Int>) -> Double? { DecimalField.double(self.body.span.extracting(range)) }

    func number(_ index: Int, in range: ClosedRange<Double>) throws(NMEAError.Rule) -> Double? {
        let field = try self.required(index)
        guard !field.isEmpty else { return nil }
        guard let number = self.double(field), range.contains(number) else { throw self.bad(index) }
        return number
    }

    /// A number of satellites; nil when the field is missing, empty or not a number, because no position depends on it.
    func count(_ index: Int) -> Int? {
        self.integer(self.range(index))
    }

    /// The milliseconds since midnight of a field `hhmmss.sss`; 60 s is a leap second.
    func timeOfDay(_ index: Int) throws(NMEAError.Rule) -> Int? {
        let field = try self.required(index)
        guard !field.isEmpty else { return nil }
        let start = field.lowerBound
        guard field.count >= 6, let hour = self.integer(start..<(start + 2)), hour < 24,
            let minute = self.integer((start + 2)..<(start + 4)), minute < 60,
            let second = self.double((start + 4)..<field.upperBound), second >= 0, second < 61
        else { throw self.bad(index) }
        return (hour * 60 + minute) * 60_000 + Int((second * 1000).rounded())
    }

    /// The days since 1970-01-01 of a field `ddmmyy`.
    ///
    /// Two-digit years are 1980…2079: GPS time begins in January 1980. A receiver whose week counter rolled over reports a
    /// date 1,024 weeks early; the date is passed on, and the engine determines the offset of the receiver's clock.
    func date(_ index: Int) throws(NMEAError.Rule) -> Int? {
        let field = try self.required(index)
        guard !field.isEmpty else { return nil }
        guard field.count == 6, let number = self.integer(field) else { throw self.bad(index) }
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
        guard let day = self.integer(day), let month = self.integer(month), let year = self.integer(year),
            let days = UTCTime.days(year: year, month: month, day: day)
        else { throw self.bad(index) }
        return days
    }

    /// The position of four fields `ddmm.mmmm,N,dddmm.mmmm,E`, in degrees.
    func position(_ index: Int) throws(NMEAError.Rule) -> (latitude: Double, longitude: Double)? {
        let (north, south) = (UInt8(ascii: "N"), UInt8(ascii: "S"))
        let (east, west) = (UInt8(ascii: "E"), UInt8(ascii: "W"))
        guard let latitude = try self.angle(index, degreesMax: 90, positive: north, negative: south),
            let longitude = try self.angle(index + 2, degreesMax: 180, positive: east, negative: west)
        else { return nil }
        return (latitude, longitude)
    }

    private func angle(
        _ index: Int,
        degreesMax: Double,
        positive: UInt8,
        negative: UInt8
    ) throws(NMEAError.Rule) -> Double? {
        let field = try self.required(index)
        guard !field.isEmpty else { return nil }
        guard DecimalField.isDigit(self.body[field.lowerBound]), let number = self.double(field) else {
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

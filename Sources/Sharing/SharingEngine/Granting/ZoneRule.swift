public import WhereaboutsVocabulary

/// The offset of local clocks from UTC in one place: constant, or changed for a part of each year.
///
/// It is a zone's rule at the time when the grant was created, in whole minutes. A grant contains it instead of a zone's name: everyone who
/// checks a request gets the same hour with any time-zone database, and no city's name is disclosed.
public struct ZoneRule: Sendable, Hashable {
    /// A yearly moment, by the clock before the change.
    public struct Yearly: Sendable, Hashable {
        /// The month, 1 to 12.
        public let month: UInt8
        /// The number among the month's days of that name, 1 to 5; 5 is the last one.
        public let week: UInt8
        /// The day of the week, 0 (Sunday) to 6.
        public let weekday: UInt8
        /// Minutes after the beginning of that day; may be negative, or more than a day.
        public let minute: Int16

        /// The minutes that a moment may lie before or after its day's beginning: a week, as in RFC 9636.
        private static let minutes: ClosedRange<Int16> = -10_079...10_079

        /// Creates a moment; nil when a field is out of its range.
        public init?(month: UInt8, week: UInt8, weekday: UInt8, minute: Int16) {
            guard (1...12).contains(month), (1...5).contains(week), weekday <= 6,
                Self.minutes.contains(minute)
            else { return nil }
            self.month = month
            self.week = week
            self.weekday = weekday
            self.minute = minute
        }

        /// The moment in a year, in minutes since 1970 by the clock before the change.
        func minutes(year: Int64) -> Int64 {
            let first = Self.days(year: year, month: Int64(self.month))
            // 1970-01-01 was a Thursday.
            let weekdayOfFirst = (first + 4).modulo(7)
            var day = first + (Int64(self.weekday) - weekdayOfFirst).modulo(7) + Int64(self.week - 1) * 7
            let next =
                self.month == 12
                ? Self.days(year: year + 1, month: 1) : Self.days(year: year, month: Int64(self.month) + 1)
            while day >= next { day -= 7 }
            return day * 1440 + Int64(self.minute)
        }

        /// The days from 1970-01-01 to the first of a month, in the Gregorian calendar; the year is counted from March, so that a leap day is
        /// its last.
        private static func days(year: Int64, month: Int64) -> Int64 {
            let (march, monthFromMarch) = month > 2 ? (year, month - 3) : (year - 1, month + 9)
            let leapDays = march.quotient(4) - march.quotient(100) + march.quotient(400)
            return march * 365 + leapDays + (153 * monthFromMarch + 2) / 5 - 719_468
        }
    }

    /// The part of a year with another offset.
    public struct Daylight: Sendable, Hashable {
        /// Minutes by which clocks are ahead of UTC during this part.
        public let offset: Int16
        /// The beginning, by the usual clock.
        public let begin: Yearly
        /// The end, by the changed clock.
        public let end: Yearly

        /// Creates the part of a year; nil when the offset is out of range.
        public init?(offset: Int16, begin: Yearly, end: Yearly) {
            guard ZoneRule.offsets.contains(offset) else { return nil }
            self.offset = offset
            self.begin = begin
            self.end = end
        }
    }

    /// The minutes by which a clock may differ from UTC: a day, as in RFC 9636.
    static let offsets: ClosedRange<Int16> = -1499...1499

    /// Minutes by which clocks are ahead of UTC.
    public let offset: Int16
    /// The part of a year with another offset, if there is one.
    public let daylight: Daylight?

    /// Creates a rule; nil when the offset is out of range.
    public init?(offset: Int16, daylight: Daylight? = nil) {
        guard Self.offsets.contains(offset) else { return nil }
        self.offset = offset
        self.daylight = daylight
    }

    /// Returns the minute of the day that clocks show, 0 to 1,439.
    public func minuteOfDay(at time: WallTime) -> UInt16 {
        let minutes = time.seconds.quotient(60)
        return UInt16((minutes + Int64(self.offset(at: minutes))).modulo(1440))
    }

    /// The offset at a moment in minutes since 1970 UTC.
    private func offset(at minutes: Int64) -> Int16 {
        guard let daylight else { return self.offset }
        let local = minutes + Int64(self.offset)
        let year = Self.year(ofMinutes: local)
        let begin = daylight.begin.minutes(year: year) - Int64(self.offset)
        let end = daylight.end.minutes(year: year) - Int64(daylight.offset)
        // South of the equator, and where winter time is the exception, the changed part spans the end of the year.
        let isMoved = begin < end ? begin <= minutes && minutes < end : begin <= minutes || minutes < end
        return isMoved ? daylight.offset : self.offset
    }

    /// The year of a moment in minutes since 1970.
    private static func year(ofMinutes minutes: Int64) -> Int64 {
        // 400 years have 146,097 days; the year is counted from March within them.
        let days = minutes.quotient(1440) + 719_468
        let era = days.quotient(146_097)
        let day = days - era * 146_097
        let yearOfEra = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        // January is the eleventh month from March; its days begin with number 306.
        return yearOfEra + era * 400 + (dayOfYear >= 306 ? 1 : 0)
    }
}

extension Int64 {
    fileprivate func quotient(_ divisor: Int64) -> Int64 {
        let (quotient, remainder) = self.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }

    /// The remainder of a division by ``quotient(_:)``.
    fileprivate func modulo(_ divisor: Int64) -> Int64 { self - self.quotient(divisor) * divisor }
}

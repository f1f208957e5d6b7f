/// Conversions between the civil time of the proleptic Gregorian calendar (UTC) and UNIX seconds.
package enum UTCTime {
    /// Returns the days from 1970-01-01 to a date, or nil when there is no such date.
    static func days(year: Int, month: Int, day: Int) -> Int? {
        guard (1...9999).contains(year), (1...12).contains(month), day >= 1,
            day <= self.daysInMonth(month, year: year)
        else { return nil }
        // Counting years from March puts the leap day last, so that months have a fixed day of the year.
        let shifted = month > 2 ? year : year - 1
        let monthFromMarch = (month + 9) % 12
        let dayOfYear = (153 * monthFromMarch + 2) / 5 + day - 1
        return shifted * 365 + shifted / 4 - shifted / 100 + shifted / 400 + dayOfYear - 719_468
    }

    private static func daysInMonth(_ month: Int, year: Int) -> Int {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Returns the UNIX seconds of an ISO 8601 time such as `2026-05-17T09:00:00.250Z`, or nil when `text` is not one.
    ///
    /// Only this form, in UTC, is accepted: it is gpsd's.
    ///
    /// - Parameter text: the time.
    /// - Returns: UNIX seconds, or nil.
    package static func seconds(iso8601 text: String) -> Double? {
        let text = Array(text.utf8)
        let bytes = text.span
        guard bytes.count >= 20, text.last == UInt8(ascii: "Z"), bytes[4] == UInt8(ascii: "-"),
            bytes[7] == UInt8(ascii: "-"), bytes[10] == UInt8(ascii: "T"), bytes[13] == UInt8(ascii: ":"),
            bytes[16] == UInt8(ascii: ":"),
            let year = DecimalField.integer(bytes.extracting(0..<4)),
            let month = DecimalField.integer(bytes.extracting(5..<7)),
            let day = DecimalField.integer(bytes.extracting(8..<10)),
            let hour = DecimalField.integer(bytes.extracting(11..<13)),
            let minute = DecimalField.integer(bytes.extracting(14..<16)),
            let second = DecimalField.double(bytes.extracting(17..<(bytes.count - 1))),
            let days = self.days(year: year, month: month, day: day),
            hour < 24, minute < 60, second >= 0, second < 61
        else { return nil }
        return Double(days * 86_400 + hour * 3600 + minute * 60) + second
    }

    /// Returns the UNIX seconds of an XML Schema `dateTime`, as in GPX; a time without a zone is UTC, as GPX requires.
    ///
    /// - Parameter text: the time, such as `2026-05-17T11:00:00+02:00`.
    /// - Returns: UNIX seconds, or nil.
    static func seconds(xmlDateTime text: String) -> Double? {
        if text.last == "Z" { return self.seconds(iso8601: text) }
        let zone = Array(text.utf8.suffix(6))
        guard zone.count == 6, zone[3] == UInt8(ascii: ":"), [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(zone[0])
        else { return self.seconds(iso8601: text + "Z") }
        guard let hours = DecimalField.integer(zone.span.extracting(1..<3)), hours <= 14,
            let minutes = DecimalField.integer(zone.span.extracting(4..<6)), minutes < 60,
            let local = self.seconds(iso8601: text.dropLast(6) + "Z")
        else { return nil }
        let offset = Double(hours * 3600 + minutes * 60)
        return zone[0] == UInt8(ascii: "+") ? local - offset : local + offset
    }

    /// Returns the time nearest to another one with this time of day, for receivers without a date.
    ///
    /// - Parameters:
    ///   - timeOfDay: seconds since midnight.
    ///   - seconds: UNIX seconds.
    /// - Returns: UNIX seconds, at most half a day from `seconds`.
    static func nearest(timeOfDay: Double, to seconds: Double) -> Double {
        timeOfDay + ((seconds - timeOfDay) / 86_400).rounded() * 86_400
    }

    /// The calendar date and the time of day of `seconds`, which is at or after 1970-01-01.
    static func civil(milliseconds: Int) -> (year: Int, month: Int, day: Int, millisecondOfDay: Int) {
        let days = milliseconds / 86_400_000
        var year = 1970 + days / 366
        while let next = self.days(year: year + 1, month: 1, day: 1), next <= days { year += 1 }
        var month = 1
        while month < 12, let next = self.days(year: year, month: month + 1, day: 1), next <= days { month += 1 }
        let first = self.days(year: year, month: month, day: 1) ?? 0
        return (year, month, days - first + 1, milliseconds % 86_400_000)
    }
}

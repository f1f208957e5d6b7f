internal import Foundation
internal import Glibc
internal import WhereaboutsVocabulary

/// A time in output: RFC 3339 in UTC for programs, the clock of this computer with the name of its zone for people.
struct Moment: Encodable {
    private let date: Date

    init(_ time: WallTime) {
        self.init(Date(timeIntervalSince1970: time.timeIntervalSince1970))
    }

    init(_ date: Date) {
        self.date = date
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.date.formatted(.iso8601))
    }

    /// A date such as `2026-11-26 14:05:11 CET`.
    var local: String {
        let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
        let text = style.year().month().day().time(includingFractionalSeconds: false).format(self.date)
        return "\(text) \(self.zone)"
    }

    /// A time such as `14:05` if it is the same day as `now`, otherwise with its date.
    func clock(now: Date = Date()) -> String {
        let isToday = Calendar.current.isDate(self.date, inSameDayAs: now)
        let style = Date.ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .current)
        let day = style.year().month().day().format(self.date)
        let time = style.time(includingFractionalSeconds: false).format(self.date).prefix(5)
        return isToday ? String(time) : "\(day) \(time) \(self.zone)"
    }

    private var zone: String { Self.zone(.current, at: self.date) }

    /// The abbreviation in the database of time zones, such as `CET`, or the offset if the zone has none, such as `-03:00`.
    ///
    /// Foundation's abbreviations depend on the language: in English it writes `GMT+1` for `CET`.
    static func zone(_ zone: TimeZone, at date: Date) -> String {
        let offset = zone.secondsFromGMT(for: date)
        if offset == 0, !zone.isDaylightSavingTime(for: date) { return "UTC" }
        if zone == .current {
            var time = Int(date.timeIntervalSince1970.rounded(.down))
            var parts = unsafe tm()
            unsafe localtime_r(&time, &parts)
            let name = unsafe parts.tm_zone.map { unsafe String(cString: $0) } ?? ""
            if unsafe parts.tm_gmtoff == offset, name.first?.isLetter == true { return name }
        }
        let minutes = abs(offset) / 60
        return String(format: "%@%02d:%02d", offset < 0 ? "-" : "+", minutes / 60, minutes % 60)
    }
}

/// A duration in the largest unit that fits, such as `15 min`.
func words(seconds: Int) -> String {
    for (unit, name) in [(86_400, "d"), (3600, "h"), (60, "min")] where seconds != 0 && seconds.isMultiple(of: unit) {
        return "\(seconds / unit) \(name)"
    }
    return "\(seconds) s"
}

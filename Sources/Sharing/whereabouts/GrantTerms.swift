internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The hours of a grant in output.
struct GrantHours: Encodable {
    let from: String
    let to: String
    /// The offset from UTC, and the offset for a part of the year if it differs.
    let utcOffset: String
    let daylightUTCOffset: String?
    /// Whether this computer's time zone has the same rule.
    private let isLocal: Bool

    private enum CodingKeys: String, CodingKey {
        case from, to, utcOffset, daylightUTCOffset
    }

    init(_ hours: DayHours) {
        func time(_ minute: UInt16) -> String { String(format: "%02d:%02d", minute / 60, minute % 60) }
        func offset(_ minutes: Int16) -> String { "\(minutes < 0 ? "-" : "+")\(time(minutes.magnitude))" }
        (self.from, self.to) = (time(hours.begin), time(hours.end))
        self.utcOffset = offset(hours.zone.offset)
        self.daylightUTCOffset = hours.zone.daylight.map { offset($0.offset) }
        self.isLocal = (try? ZoneRule.here()) == hours.zone
    }

    var words: String {
        guard !self.isLocal else { return "\(self.from)-\(self.to) local time" }
        let summer = self.daylightUTCOffset.map { " (UTC\($0) in summer)" } ?? ""
        return "\(self.from)-\(self.to) UTC\(self.utcOffset)\(summer)"
    }
}

extension Grant {
    /// The terms in a line, for either side to read before they rely on them.
    var terms: String {
        var terms = [self.precision == .full ? "exactly" : "to about 5 km", "until \(Moment(self.notAfter).local)"]
        if let hours = self.hours { terms.append("from \(GrantHours(hours).words)") }
        if self.intervalMin > 0 { terms.append("at most every \(words(seconds: Int(self.intervalMin)))") }
        if let uses = self.usesMax { terms.append(uses == 1 ? "once" : "\(uses) times in all") }
        if self.asksPerson { terms.append("each time only after a yes") }
        if let minutes = self.followMinutesMax {
            terms.append("followed for up to \(words(seconds: Int(minutes) * 60))")
        }
        return terms.joined(separator: ", ")
    }
}

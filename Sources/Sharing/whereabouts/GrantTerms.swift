internal import Foundation
internal import WhereaboutsSharing

/// The hours of a grant as they are shown.
struct GrantHours: Encodable {
    let from: String
    let to: String
    /// The difference to UTC, and the one for a part of the year.
    let utcOffset: String
    let daylightUTCOffset: String?

    init(_ hours: DayHours) {
        func time(_ minute: UInt16) -> String { String(format: "%02d:%02d", minute / 60, minute % 60) }
        func offset(_ minutes: Int16) -> String { "\(minutes < 0 ? "-" : "+")\(time(minutes.magnitude))" }
        (self.from, self.to) = (time(hours.begin), time(hours.end))
        self.utcOffset = offset(hours.zone.offset)
        self.daylightUTCOffset = hours.zone.daylight.map { offset($0.offset) }
    }

    /// For people.
    var words: String {
        let offsets = [self.utcOffset, self.daylightUTCOffset].compactMap { $0 }.joined(separator: "/")
        return "\(self.from)-\(self.to) UTC\(offsets)"
    }
}

extension Grant {
    /// The terms in a line, for either side to read before they rely on them.
    var terms: String {
        let end = Date(timeIntervalSince1970: self.notAfter.timeIntervalSince1970).formatted(.iso8601)
        var terms = [self.precision == .full ? "exactly" : "to about 5 km", "until \(end)"]
        if let hours = self.hours { terms.append("from \(GrantHours(hours).words)") }
        if self.intervalMin > 0 { terms.append("at most every \(self.intervalMin) s") }
        if let uses = self.usesMax { terms.append(uses == 1 ? "once" : "\(uses) times in all") }
        if self.asksPerson { terms.append("each time after a yes") }
        if let minutes = self.followMinutesMax { terms.append("followed for up to \(minutes) min") }
        return terms.joined(separator: ", ")
    }
}

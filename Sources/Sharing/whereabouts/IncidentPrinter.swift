internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// Prints an incident: a line for each change for people, or one JSON object.
struct IncidentPrinter {
    private struct Line: Encodable {
        let incident: String
        /// The alert; absent in an event about the incident itself.
        var alert: String?
        /// `patient` or `defibrillator`.
        var task: String?
        /// The state of the alert, as the server names it; of an incident: open, exhausted, ended or failed.
        let state: String
        /// The travel time: at most 3, 6 or 9 minutes; absent for a longer one.
        var minutes: UInt8?
        /// Why the incident or the alert ended, or what failed.
        var end: String?
        var latitude: Double?
        var longitude: Double?
        var accuracy: Double?
        var measured: Moment?
        let time: Moment
    }

    private let incident: OpenIncident
    private let isJSON: Bool

    init(_ incident: OpenIncident, isJSON: Bool) {
        self.incident = incident
        self.isJSON = isJSON
    }

    func begin() throws {
        let opened = self.incident.opening.value.incident.signed
        if self.isJSON {
            let point = self.incident.place.coordinates
            var line = self.line("open", opened)
            (line.latitude, line.longitude) = (point.latitude, point.longitude)
            return try printJSON(line)
        }
        try printLine("incident \(self.incident.id), until \(Moment(self.incident.expires).local)")
    }

    func show(_ update: IncidentUpdate) throws {
        switch update {
        case .alert(let row): try self.show(row)
        case .exhausted:
            if self.isJSON { return try printJSON(self.line("exhausted", .now)) }
            try printLine("no other volunteer is free nearby")
        case .ended(let end):
            let end = EmergencyAlert.End(.incident(end))
            if self.isJSON { return try printJSON(self.line("ended", .now, end: "\(end)")) }
            try printLine("ended: \(end.words)")
        case .failed(let words):
            if self.isJSON { return try printJSON(self.line("failed", .now, end: PlainText.of(words))) }
            try printLine("failed: \(PlainText.of(words))")
        }
    }

    private func show(_ row: IncidentUpdate.Row) throws {
        let minutes = row.band.flatMap { $0 == .longer ? nil : $0.rawValue }
        guard self.isJSON else {
            let band = minutes.map { " (≤\($0) min)" } ?? (row.band == .longer ? " (>9 min)" : "")
            let time = row.end == nil && row.state != .arrived ? band : ""
            let place = row.end == nil ? row.fix.map { "  \(PlaceText($0).text)" } ?? "" : ""
            let alert = "\(row.alert)".prefix(8)
            return try printLine("\(Moment(row.time).local)  \(alert)  \(row.role)  \(Self.words(row))\(time)\(place)")
        }
        var line = self.line(Self.name(row), row.time, end: row.end.map(Self.name))
        line.alert = "\(row.alert)"
        line.task = "\(row.role)"
        line.minutes = minutes
        if row.end == nil, let fix = row.fix {
            (line.latitude, line.longitude, line.accuracy) = (fix.latitude, fix.longitude, fix.horizontalAccuracy)
            line.measured = Moment(fix.time)
        }
        try printJSON(line)
    }

    private func line(_ state: String, _ time: WallTime, end: String? = nil) -> Line {
        Line(incident: "\(self.incident.id)", state: state, end: end, time: Moment(time))
    }

    private static func name(_ row: IncidentUpdate.Row) -> String {
        guard row.end == nil else { return "ended" }
        return if case .band = row.state { "band" } else { "\(row.state)" }
    }

    private static func name(_ end: Responder.End) -> String {
        switch end {
        case .byVolunteer: "byVolunteer"
        case .undelivered: "undelivered"
        case .enough, .incident: "\(EmergencyAlert.End(end))"
        }
    }

    private static func words(_ row: IncidentUpdate.Row) -> String {
        switch row.end {
        case .byVolunteer: return "does not come"
        case .undelivered: return "was not reached"
        case .enough: return "stood down: enough others come"
        case .incident: return "stood down"
        case nil: break
        }
        return switch row.state {
        case .chosen: "is chosen"
        case .alerted: "is alerted"
        case .band: "can come"
        case .silent: "does not answer"
        case .accepted: "comes"
        case .enRoute: "is on the way"
        case .arrived: "arrived"
        }
    }
}

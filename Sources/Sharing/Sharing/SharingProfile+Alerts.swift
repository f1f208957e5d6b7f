internal import Foundation
internal import WhereaboutsGeodesy
internal import WhereaboutsVocabulary

/// The alerts of a volunteer, which the extension receives and the app answers, through shared files.
extension SharingProfile {
    /// The maximum number of alerts that are stored.
    ///
    /// Source: our choice; an honest server wakes a volunteer three times a day, and an alert is kept for an hour.
    static let alertsMax = 16

    private var alertsDirectory: String { self.path + "/alerts" }

    private func alertFile(_ alert: AlertID) -> String { "alerts/\(alert)" }

    /// The alerts of the last hour, the newest first; an older one is deleted.
    ///
    /// An app reads them when it is opened, and every second while it is on the screen.
    public func alerts() -> [EmergencyAlert] { self.alerts(now: .now) }

    func alerts(now: WallTime) -> [EmergencyAlert] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.alertsDirectory)) ?? []
        let all = names.compactMap { name -> EmergencyAlert? in
            guard let id = AlertID(name), let alert = self.alert(id) else { return nil }
            guard now < alert.expires else {
                self.deleteAlert(id)
                return nil
            }
            return alert
        }
        return all.sorted { ($0.expires, "\($0.id)") > ($1.expires, "\($1.id)") }
    }

    private func alert(_ id: AlertID) -> EmergencyAlert? {
        FileManager.default.contents(atPath: "\(self.path)/\(self.alertFile(id))")
            .flatMap { try? EmergencyAlert(bytes: [UInt8]($0)) }
    }

    private func deleteAlert(_ id: AlertID) {
        for suffix in ["", ".lock"] {
            try? FileManager.default.removeItem(atPath: "\(self.path)/\(self.alertFile(id))\(suffix)")
        }
    }

    /// Stores an alert that arrived.
    ///
    /// - Returns: false if the alert is known.
    /// - Throws: ``SharingError`` when there are too many alerts, or the file cannot be written.
    func record(_ alert: EmergencyAlert, now: WallTime) throws -> Bool {
        guard self.alerts(now: now).count < Self.alertsMax else {
            throw SharingError(
                .refused,
                "\(Self.alertsMax) alerts came within an hour, which is the maximum; `whereabouts volunteer --leave` ends them"
            )
        }
        try ProfileFile.makeDirectory(self.alertsDirectory)
        return try self.changeAlertFile(alert.id) { known in (known == nil, known == nil ? alert : nil) }
    }

    /// Changes a stored alert, under a lock between processes.
    ///
    /// - Returns: the changed alert.
    /// - Throws: ``SharingError`` when there is no such alert, the file cannot be written, or what `body` throws.
    @discardableResult
    func changeAlert(_ id: AlertID, _ body: (inout EmergencyAlert) throws -> Void) throws -> EmergencyAlert {
        // Make no lock for an alert that the server made up.
        guard FileManager.default.fileExists(atPath: "\(self.path)/\(self.alertFile(id))") else {
            throw Self.noAlert(id)
        }
        return try self.changeAlertFile(id) { known in
            guard var alert = known else { throw Self.noAlert(id) }
            try body(&alert)
            return (alert, alert == known ? nil : alert)
        }
    }

    private func changeAlertFile<Action>(
        _ id: AlertID,
        _ decide: (EmergencyAlert?) throws -> (action: Action, changed: EmergencyAlert?)
    ) throws -> Action {
        try self.change(
            self.alertFile(id),
            EmergencyAlert.init(bytes:),
            "the alert cannot be answered; delete it"
        ) { known in
            let (action, changed) = try decide(known)
            return (action, changed?.bytes)
        }
    }

    private static func noAlert(_ id: AlertID) -> SharingError {
        SharingError(.unknownName, "there is no alert \(id); `whereabouts alerts` lists those of the last hour")
    }
}

/// The terms on which the person is a volunteer.
extension SharingProfile {
    private static var lostTerms: String { "this device answers no alerts; delete it, and enrol again" }

    /// The person's terms as a volunteer; nil if the person is not enrolled.
    ///
    /// - Throws: ``SharingError`` when the file is damaged.
    public func volunteerTerms() throws -> VolunteerTerms? {
        // Most people have never been volunteers: make no lock for them.
        guard self.hasVolunteered else { return nil }
        return try self.changeVolunteering { ($0?.terms, nil) }
    }

    /// Whether the person is or was a volunteer.
    var hasVolunteered: Bool { FileManager.default.fileExists(atPath: self.path + "/volunteer") }

    /// Chooses the time of the next enrolment or departure, later than the last one, and stores the terms with it.
    func volunteer(_ terms: VolunteerTerms?, now: WallTime) throws -> WallTime {
        try self.changeVolunteering { last in
            let issued = Registration.time(after: last?.issued, now: now)
            return (issued, Volunteering(terms: terms, issued: issued))
        }
    }

    private func changeVolunteering<Action>(
        _ decide: (Volunteering?) throws -> (action: Action, changed: Volunteering?)
    ) throws -> Action {
        try self.change("volunteer", Volunteering.init(bytes:), Self.lostTerms) { known in
            let (action, changed) = try decide(known)
            return (action, changed?.bytes)
        }
    }
}

/// The terms, and the date of the last message about them.
private struct Volunteering {
    /// Nil after a departure.
    let terms: VolunteerTerms?
    let issued: WallTime

    init(terms: VolunteerTerms?, issued: WallTime) {
        self.terms = terms
        self.issued = issued
    }

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.integer(self.issued.milliseconds)
        writer.integer(UInt8(self.terms == nil ? 0 : 1))
        guard let terms else { return writer.bytes }
        writer.integer(terms.skills.rawValue)
        writer.integer(UInt16(terms.reach))
        writer.integer(UInt8(terms.cells.count))
        for cell in terms.cells { cell.write(to: &writer) }
        writer.integer(UInt8(terms.hours == nil ? 0 : 1))
        terms.hours?.write(to: &writer)
        writer.integer(UInt8(terms.dispatchers.count))
        for dispatcher in terms.dispatchers { writer.fixed(dispatcher.bytes) }
        return writer.bytes
    }

    init(bytes: [UInt8]) throws {
        var reader = ByteReader(bytes, name: "the terms of the volunteer")
        self.issued = try reader.time()
        guard try reader.flag() else {
            self.terms = nil
            try reader.end()
            return
        }
        let skills = Volunteer.Skills(rawValue: try reader.integer())
        let reach = Int(try reader.integer(UInt16.self))
        let cells = try (0..<reader.integer(UInt8.self)).map { _ in try Grid.Cell(from: &reader) }
        let hours = try reader.flag() ? DayHours(from: &reader) : nil
        let dispatchers = try (0..<reader.integer(UInt8.self)).map { _ in
            try reader.value(PublicIdentity.byteCount, PublicIdentity.init(bytes:))
        }
        try reader.end()
        self.terms = try VolunteerTerms(
            cells: cells,
            hours: hours,
            skills: skills,
            reach: reach,
            dispatchers: dispatchers
        )
    }
}

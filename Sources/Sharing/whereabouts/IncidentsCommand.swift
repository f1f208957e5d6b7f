internal import ArgumentParser
internal import WhereaboutsSharing
internal import WhereaboutsSharingServer

/// `whereabouts incidents`: shows the operator of a server which incidents dispatchers opened.
struct IncidentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "incidents",
        abstract: "List the incidents that dispatchers opened on your server.",
        discussion: """
            Each line is an incident of the last 90 days: its dispatcher's identity, how many people were woken in each phase, how many \
            accepted, arrived, declined or were not reached, and how it ended. It has no place and no volunteer. The server may run.
              whereabouts incidents --database /var/lib/whereabouts/main/sharing.sqlite
            With --json each incident is one object on its own line.
            """
    )

    @Option(help: ArgumentHelp("The database of the sharing server.", valueName: "file"))
    var database: String
    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let rows = try await IncidentRecords.read(self.database).map(Row.init)
        guard !self.json else { return try rows.forEach(printJSON) }
        guard !rows.isEmpty else { return try printLine("No dispatcher opened an incident in the last 90 days.") }
        let titles = [
            "OPENED", "INCIDENT", "PRIORITY", "WANTED", "WOKEN", "ACCEPTED", "ARRIVED", "DECLINED", "NOT REACHED",
            "ENDED", "DISPATCHER",
        ]
        for line in Table.lines(titles, rows.map(\.cells)) { try printLine(line) }
    }

    /// An incident in the output.
    struct Row: Encodable {
        let incident: String
        let dispatcher: String
        let opened: Moment
        /// `arrest`, `danger` or `help`.
        let priority: String
        /// The number of people who must come.
        let people: Int
        let aed: Bool
        /// The number of people who were woken in each phase.
        let woken: [Int]
        let accepted, arrived, declined, undelivered: Int
        /// How the incident ended, as in `dispatch --json`; absent while it is open.
        let end: String?
        let ended: Moment?

        init(_ audit: IncidentAudit) {
            self.incident = "\(audit.incident)"
            self.dispatcher = audit.dispatcher.text
            self.opened = Moment(audit.opened)
            self.priority = "\(audit.priority)"
            self.people = audit.responders
            self.aed = audit.needsAED
            self.woken = audit.woken
            (self.accepted, self.arrived) = (audit.acceptedCount, audit.arrivedCount)
            (self.declined, self.undelivered) = (audit.declinedCount, audit.undeliveredCount)
            self.end = audit.end.map { "\(EmergencyAlert.End(.incident($0)))" }
            self.ended = audit.end == nil ? nil : Moment(audit.changed)
        }

        var cells: [String] {
            let woken = self.woken.isEmpty ? "0" : self.woken.map(String.init).joined(separator: "+")
            let ended = self.ended.flatMap { ended in self.end.map { "\(ended.local), \($0)" } }
            return [
                self.opened.local, self.incident, self.priority, "\(self.people)\(self.aed ? " and AED" : "")", woken,
                "\(self.accepted)", "\(self.arrived)", "\(self.declined)", "\(self.undelivered)", ended ?? "open",
                self.dispatcher,
            ]
        }
    }
}

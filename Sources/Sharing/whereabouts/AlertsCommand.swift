internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts alerts`: lists the emergencies that you were alerted to, and answers them.
struct AlertsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "alerts",
        abstract: "List the emergencies you were alerted to, and answer them.",
        discussion: """
            An alert is listed for an hour. If you accept and are chosen, the dispatcher sees your last position; --on-the-way shows the next \
            one, for example from your app.
              whereabouts alerts            lists the alerts
              whereabouts alerts --accept   accepts the only open one
              whereabouts alerts --on-the-way --at 53.55,9.99
              whereabouts alerts --arrived
            Without a network the answer waits, and the next call of this command sends it.

            Exit codes:
              0  listed, or answered
              1  there is no such alert, it does not wait for this answer, or the server is unreachable
            """
    )

    /// The actions of a volunteer.
    enum Action: String, EnumerableFlag {
        case accept, refuse, onTheWay, arrived, withdraw

        static func help(for value: Action) -> ArgumentHelp? {
            switch value {
            case .accept: "You come."
            case .refuse: "Decline the alert."
            case .onTheWay: "Report that you are on the way."
            case .arrived: "Report that you are with the patient."
            case .withdraw: "Withdraw after you accepted."
            }
        }
    }

    @Argument(help: ArgumentHelp("The ID of the alert (default: the only open one).", valueName: "id"))
    var which: String?
    @OptionGroup var profile: ProfileOption
    @Flag(exclusivity: .exclusive) var action: Action?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Where you are, with --accept or --on-the-way (default: where you were when the alert came).",
            valueName: "latitude,longitude"
        ),
        transform: PlaceArgument.init
    )
    var at: PlaceArgument?
    @Flag(help: "Print JSON.")
    var json = false

    /// The accuracy of a position that a person typed, in metres.
    ///
    /// Source: our choice; a place that the person read off a map.
    private static let typedAccuracy = 50.0

    func validate() throws {
        if self.action == nil, self.which != nil || self.at != nil {
            throw ValidationError("Give --accept, --refuse, --on-the-way, --arrived or --withdraw as well.")
        }
        if self.at != nil, self.action != .accept, self.action != .onTheWay {
            throw ValidationError("--at needs --accept or --on-the-way.")
        }
    }

    func run() async throws {
        let profile = try self.profile.open()
        let sharer = try Sharer(profile: profile)
        guard let action else {
            do {
                try await sharer.sendAlertAnswers()
            } catch {
                printTrouble("alerts: \(error)")
            }
            return try self.show(profile.alerts())
        }
        let id = try self.meant(of: profile.alerts(), for: action).id
        let fix = try self.at?.fix(accuracy: Self.typedAccuracy)
        let alert: EmergencyAlert
        do {
            alert = try await Waiting.said { try await self.answer(id, action, at: fix, sharer) }
        } catch let error as SharingError where error.code == .network {
            throw SharingError(
                .network,
                "Your answer is stored and not sent yet; run `whereabouts alerts` again to send it. \(error.message)"
            )
        }
        if self.json { return try printJSON(Row(alert)) }
        try printLine("\(alert.id): \(alert.state.words)")
        if action == .accept, let place = alert.coordinates {
            let note = alert.note.isEmpty ? "" : ": \(PlainText.of(alert.note))"
            try printLine("go to \(place.latitude),\(place.longitude)\(note)")
        }
    }

    private func answer(
        _ id: AlertID,
        _ action: Action,
        at fix: SharedFix?,
        _ sharer: Sharer
    ) async throws -> EmergencyAlert {
        switch action {
        case .accept: try await sharer.accept(id, at: fix)
        case .refuse: try await sharer.refuse(id)
        case .onTheWay: try await sharer.move(toward: id, at: fix)
        case .arrived: try await sharer.arrive(at: id)
        case .withdraw: try await sharer.withdraw(from: id)
        }
    }

    /// The alert with the ID of the command line; without an ID, the only open alert.
    private func meant(of alerts: [EmergencyAlert], for action: Action) throws -> EmergencyAlert {
        let open = alerts.filter { alert in self.which.map { "\(alert.id)" == $0 } ?? alert.isOpen }
        guard let alert = open.first else {
            throw SharingError(
                .unknownName,
                (self.which.map { "there is no alert '\(PlainText.of($0))'" } ?? "No alert is open")
                    + "; `whereabouts alerts` lists those of the last hour"
            )
        }
        guard open.count == 1 else {
            throw SharingError(
                .badText,
                "\(open.count) alerts are open; give the ID of one, as `whereabouts alerts` lists them"
            )
        }
        return alert
    }

    private func show(_ alerts: [EmergencyAlert]) throws {
        let rows = alerts.map(Row.init)
        guard !self.json else { return try rows.forEach { try printJSON($0) } }
        guard !rows.isEmpty else { return try printLine("No alert came within the last hour.") }
        let heads = ["ALERT", "PRIORITY", "TASK", "DISTANCE", "STATE", "UNTIL", "NOTE"]
        for line in Table.lines(heads, rows.map(\.cells)) { try printLine(line) }
    }

    private struct Row: Encodable {
        let alert: String
        let dispatcher: String
        let priority: String
        /// `patient` or `defibrillator`.
        let task: String
        let state: String
        /// The sentence for a person.
        private let words: String
        /// Absent once you are not needed, or without a position.
        let metres: Int?
        let latitude: Double?
        let longitude: Double?
        let note: String?
        let until: Moment

        init(_ alert: EmergencyAlert) {
            self.alert = "\(alert.id)"
            self.dispatcher = alert.dispatcher.text
            self.priority = "\(alert.priority)"
            self.task = "\(alert.role)"
            self.state = if case .ended(let end) = alert.state { "\(end)" } else { "\(alert.state)" }
            self.words = alert.state.words
            self.metres = alert.metres
            (self.latitude, self.longitude) = (alert.coordinates?.latitude, alert.coordinates?.longitude)
            self.note = alert.note.isEmpty ? nil : PlainText.of(alert.note)
            self.until = Moment(alert.expires)
        }

        private enum CodingKeys: String, CodingKey {
            case alert, dispatcher, priority, task, state, metres, latitude, longitude, note, until
        }

        var cells: [String] {
            let distance = self.metres.map { "\($0) m" } ?? "-"
            return [self.alert, self.priority, self.task, distance, self.words, self.until.local, self.note ?? "-"]
        }
    }
}

internal import ArgumentParser
internal import Foundation
internal import UnixSignals
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts dispatch`: opens an incident, and follows it.
struct DispatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "dispatch",
        abstract: "Alert the nearest volunteers to a medical emergency.",
        discussion: """
            The server's configuration must name your identity as a dispatcher. The server learns the cell of 1 km; this program seals the \
            position for the phone of each volunteer whom the server chooses, so let it run. A line shows each change; with --json it is an \
            object.
              whereabouts dispatch --at 53.55,9.99   opens an incident, and follows it
              whereabouts dispatch --follow          follows the newest open incident
              whereabouts dispatch --end             ends it: nobody is needed any more
              whereabouts dispatch --false-alarm     cancels it
              whereabouts dispatch --web             shows and follows all open incidents on a page in a browser
            ^C stops the program; the incident stays open for an hour, but nobody else is alerted.

            Exit codes:
              0  the incident ended
              3  the server does not show the incident any more
              5  a more urgent incident took its place
              6  an hour passed
              130 a signal such as ^C ended the program; the incident is still open
              1  nothing was opened, followed or ended: no incident is open, or the server is unreachable or refused
              74 the output cannot be written; 141 its reader is gone
            """
    )

    @OptionGroup var profile: ProfileOption
    @Argument(help: ArgumentHelp("The ID of an open incident (default: the newest).", valueName: "id"))
    var which: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Where help is needed.", valueName: "latitude,longitude"),
        transform: PlaceArgument.init
    )
    var at: PlaceArgument?
    @Option(help: ArgumentHelp("The urgency [arrest].", valueName: "arrest|danger|help"), transform: parsePriority)
    var priority: Incident.Priority?
    @Option(help: ArgumentHelp("Number of people who must come, 1 to 10.", valueName: "count"))
    var people = 1
    @Flag(help: "Also ask a person to fetch a defibrillator.")
    var aed = false
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Where the nearest defibrillator is.", valueName: "latitude,longitude"),
        transform: PlaceArgument.init
    )
    var defibrillator: PlaceArgument?
    @Option(help: ArgumentHelp("A sentence for the volunteers, up to 160 bytes.", valueName: "text"))
    var note = ""
    @Flag(help: "Follow an open incident again.")
    var follow = false
    @Flag(help: "End an incident: nobody is needed any more.")
    var end = false
    @Flag(help: "Cancel an incident: it was a false alarm.")
    var falseAlarm = false
    @Flag(help: "Serve a page with a map on 127.0.0.1; prints its address, which works once.")
    var web = false
    @Option(help: "Port of the page on 127.0.0.1 [0]; 0 chooses a free one.") var port: UInt16?
    @Flag(help: "Print JSON.")
    var json = false

    private var ways: Int { [self.at != nil, self.follow, self.end, self.falseAlarm, self.web].count { $0 } }

    func validate() throws {
        guard self.ways == 1 else {
            throw ValidationError("Give one of --at, --follow, --end, --false-alarm and --web.")
        }
        guard self.at == nil || self.which == nil else {
            throw ValidationError("--at opens an incident, which has no ID yet; leave out the ID")
        }
        let describes = self.priority != nil || self.aed || self.defibrillator != nil || !self.note.isEmpty
        guard self.at != nil || !describes && self.people == 1 else {
            throw ValidationError(
                "--priority, --people, --aed, --defibrillator and --note describe an incident; give --at as well"
            )
        }
        guard (1...Incident.respondersMax).contains(self.people) else {
            throw ValidationError("--people must be from 1 to \(Incident.respondersMax)")
        }
        guard !self.web || self.which == nil && !self.json else {
            throw ValidationError("--web shows all open incidents; leave out the ID and --json")
        }
        guard self.web || self.port == nil else {
            throw ValidationError("--port is the port of the page; give --web as well")
        }
        if let at { _ = try self.place(at) }
    }

    private func place(_ at: PlaceArgument) throws -> PatientPlace {
        do {
            return try PatientPlace(
                latitude: at.latitude,
                longitude: at.longitude,
                defibrillator: self.defibrillator.map { ($0.latitude, $0.longitude) },
                note: self.note
            )
        } catch {
            throw ValidationError(error.message)
        }
    }

    func run() async throws {
        let profile = try self.profile.open()
        if self.web { return try await self.serve(profile) }
        let dispatcher = try IncidentDispatcher(profile: profile)
        guard let at else {
            let incident = try self.meant(of: profile.openIncidents())
            if self.follow { return try await self.watch(incident, dispatcher) }
            try await Waiting.said { try await dispatcher.end(incident.id, isFalseAlarm: self.falseAlarm) }
            if self.json { return try printJSON(Ended(incident: "\(incident.id)", isFalseAlarm: self.falseAlarm)) }
            return try printLine("\(incident.id) \(self.falseAlarm ? "is cancelled" : "ended"); everyone is notified")
        }
        let (place, people, priority, aed) = (try self.place(at), self.people, self.priority ?? .arrest, self.aed)
        let incident = try await Waiting.said {
            try await dispatcher.open(at: place, priority: priority, responders: people, needsAED: aed)
        }
        try await self.watch(incident, dispatcher)
    }

    private struct Ended: Encodable {
        let incident: String
        let isFalseAlarm: Bool
    }

    private func serve(_ profile: SharingProfile) async throws {
        let site = DispatchSite(profile: profile, path: self.profile.profile)
        let following = Task { await site.followAll() }
        defer { following.cancel() }
        try await WebCommand.serve(site, port: self.port ?? 0)
    }

    private func meant(of incidents: [OpenIncident]) throws -> OpenIncident {
        let found = incidents.first { incident in self.which.map { "\(incident.id)" == $0 } ?? true }
        guard let found else {
            throw SharingError(
                .unknownName,
                (self.which.map { "this profile has no open incident '\(PlainText.of($0))'" } ?? "No incident is open")
                    + "; `whereabouts dispatch --at …` opens one"
            )
        }
        return found
    }

    private func watch(_ incident: OpenIncident, _ dispatcher: IncidentDispatcher) async throws {
        let printer = IncidentPrinter(incident, isJSON: self.json)
        try printer.begin()
        let (endings, ending) = AsyncStream.makeStream(of: Result<IncidentUpdate?, any Error>.self)
        let following = Task {
            do {
                var last: IncidentUpdate?
                try await dispatcher.follow(incident, explain: { printTrouble("dispatch: \($0)") }) { update in
                    try printer.show(update)
                    last = update
                }
                ending.yield(.success(last))
            } catch {
                ending.yield(.failure(error))
            }
            ending.finish()
        }
        let signals = Task {
            for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup) {
                printTrouble(
                    "dispatch: the incident \(incident.id) is still open. `whereabouts dispatch --follow` follows it again, --end ends it, "
                        + "and --false-alarm cancels it."
                )
                following.cancel()
            }
        }
        defer { signals.cancel() }
        for await result in endings {
            let status = Self.status(of: try result.get())
            if status != 0 { throw ExitCode(status) }
        }
    }

    private static func status(of last: IncidentUpdate?) -> Int32 {
        switch last {
        case .ended(.stoodDown), .ended(.cancelled): 0
        case .failed: 3
        case .ended(.displaced): 5
        case .ended(.expired): 6
        case .alert, .exhausted, nil: 130
        }
    }
}

/// Reads `arrest`, `danger` or `help`.
@Sendable private func parsePriority(_ text: String) throws -> Incident.Priority {
    switch text {
    case "arrest": .arrest
    case "danger": .danger
    case "help": .help
    default: throw ValidationError("Invalid priority '\(text)'. Use arrest, danger or help.")
    }
}

internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts volunteer`: enrols you as a volunteer, shows your terms, and ends them.
struct VolunteerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "volunteer",
        abstract: "Let a dispatcher alert you to medical emergencies nearby.",
        discussion: """
            The server learns up to eight cells of 1 km that you choose, never a position. Your phone computes its distance itself; only if \
            you accept an alert, the dispatcher sees where you are, until you arrive. You are woken at most three times a day.
              whereabouts volunteer           shows your terms (--json: null without terms)
              whereabouts volunteer --leave   leaves; the server forgets you (--json: null)
            To enrol, or to replace your terms:
              whereabouts volunteer --dispatcher ID --place 53.55,9.99 --cpr
            Your app must have registered this device for location pushes.

            Exit codes:
              0  shown, enrolled, or left
              1  the server is unreachable or refused
            """
    )

    @OptionGroup var profile: ProfileOption
    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A usual place, such as home or work; give one to eight.", valueName: "latitude,longitude"),
        transform: PlaceArgument.init
    )
    var place: [PlaceArgument] = []
    @Option(
        help: ArgumentHelp(
            "The ID of an emergency service whose alerts you answer; give one to sixteen.",
            valueName: "id"
        )
    )
    var dispatcher: [String] = []
    @Flag(help: "You can resuscitate.")
    var cpr = false
    @Flag(help: "Offer to fetch a defibrillator.")
    var aed = false
    @Option(help: ArgumentHelp("The distance that you would go, 1 to 7000 m (default: 2000).", valueName: "metres"))
    var reach: Int?
    @Option(
        help: ArgumentHelp("Hours of the day in which you may be woken (default: all).", valueName: "from-to")
    )
    var hours: String?
    @Option(
        help: ArgumentHelp(
            "Time zone of --hours, for example Europe/Berlin (default: that of this computer).",
            valueName: "zone"
        )
    )
    var zone: String?
    @Flag(help: "Leave.")
    var leave = false
    @Flag(help: "Print JSON.")
    var json = false

    /// How far a person goes by default, in metres.
    ///
    /// Source: our choice; the services' radius of 1.3 to 1.8 km, rounded up.
    private static let usualReach = 2000

    /// Whether the command line has terms.
    private var enrols: Bool {
        !self.place.isEmpty || !self.dispatcher.isEmpty || self.cpr || self.aed || self.reach != nil
            || self.hours != nil
    }

    func validate() throws {
        if self.zone != nil, self.hours == nil {
            throw ValidationError("--zone needs --hours. Give both, or leave out --zone.")
        }
        if self.leave, self.enrols {
            throw ValidationError("--leave cannot be combined with terms. Leave out either.")
        }
        guard self.enrols else { return }
        guard !self.place.isEmpty, !self.dispatcher.isEmpty, self.cpr || self.aed else {
            throw ValidationError("To enrol, give --place, --dispatcher, and --cpr or --aed.")
        }
        do {
            _ = try self.terms()
        } catch let error as SharingError {
            throw ValidationError(error.message)
        }
    }

    private func terms() throws -> VolunteerTerms {
        try VolunteerTerms(
            places: self.place.map { ($0.latitude, $0.longitude) },
            hours: self.hours.map { try DayHours(text: $0, zone: self.zone) },
            resuscitates: self.cpr,
            fetchesDefibrillator: self.aed,
            reach: self.reach ?? Self.usualReach,
            dispatchers: self.dispatcher.map { try PublicIdentity(text: $0) }
        )
    }

    func run() async throws {
        let profile = try self.profile.open()
        if self.leave {
            let sharer = try Sharer(profile: profile)
            try await Waiting.said { try await sharer.leaveVolunteers() }
            return try printLine(self.json ? "null" : "you are no longer a volunteer; the server forgot you")
        }
        if self.enrols {
            let (sharer, terms) = (try Sharer(profile: profile), try self.terms())
            try await Waiting.said { try await sharer.volunteer(on: terms) }
        }
        guard let terms = try profile.volunteerTerms() else {
            if self.json { return try printLine("null") }
            return try printLine("You are not a volunteer. `whereabouts help volunteer` shows how to become one.")
        }
        try Shown(terms).print(json: self.json)
    }

    private struct Shown: Encodable {
        struct Place: Encodable {
            let latitude: Double
            let longitude: Double
        }

        /// The middles of the cells.
        let places: [Place]
        /// Absent: all day.
        let hours: GrantHours?
        let cpr: Bool
        let aed: Bool
        let reachMetres: Int
        let dispatchers: [String]

        init(_ terms: VolunteerTerms) {
            self.places = terms.centers.map { Place(latitude: $0.latitude, longitude: $0.longitude) }
            self.hours = terms.hours.map(GrantHours.init)
            self.cpr = terms.resuscitates
            self.aed = terms.fetchesDefibrillator
            self.reachMetres = terms.reach
            self.dispatchers = terms.dispatchers.map(\.text)
        }

        func print(json: Bool) throws {
            guard !json else { return try printJSON(self) }
            let skills = (self.cpr ? ["resuscitate"] : []) + (self.aed ? ["fetch a defibrillator"] : [])
            for place in self.places {
                let center = String(format: "%.3f,%.3f", place.latitude, place.longitude)
                try printLine("place:      \(center), a cell of 1 km")
            }
            try printLine("skills:     \(skills.joined(separator: ", "))")
            try printLine("reach:      \(self.reachMetres) m")
            try printLine("hours:      \(self.hours?.words ?? "all day")")
            for dispatcher in self.dispatchers { try printLine("dispatcher: \(dispatcher)") }
        }
    }
}

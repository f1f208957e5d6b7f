internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts grants`: lists who may ask.
struct GrantsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "grants",
        abstract:
            "List the grants you gave, with their terms.",
        discussion: """
            To take a grant back: whereabouts revoke ID. The list has the grants that you gave on this device, that a backup held, or that \
            came with a request which this device answered. Each of your devices counts uses by itself. With --json each grant is one object \
            on its own line.

            Exit codes:
              0  shown
              1  there is no such grant, or a file is damaged: the others are shown
            """
    )

    @OptionGroup var profile: ProfileOption
    @Option(help: ArgumentHelp("Print only the text of this grant, to send it again.", valueName: "id"))
    var text: String?
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard self.text == nil || !self.json else { throw ValidationError("--text prints text; leave out --json") }
    }

    func run() async throws {
        let profile = try self.profile.open()
        if let text {
            guard let id = GrantID(text) else {
                throw SharingError(
                    .badText,
                    "'\(PlainText.of(text))' is not the ID of a grant; `whereabouts grants` lists the IDs"
                )
            }
            return try printLine(profile.grant(id).text)
        }
        printNews(of: profile)
        try Self.show(profile, json: self.json)
    }

    /// Prints the grants of a profile.
    static func show(_ profile: SharingProfile, json: Bool) throws {
        let (grants, damage) = try profile.readableGrants()
        var rows: [Row] = []
        var troubles = damage + [profile.namesDamage].compactMap { $0 }
        for grant in grants {
            let (row, trouble) = Row.row(grant.value, of: profile, now: .now)
            rows.append(row)
            if let trouble, !troubles.contains(where: { $0.message == trouble.message }) { troubles.append(trouble) }
        }
        try Self.show(rows, json: json, isWhole: troubles.isEmpty)
        // Print the list first: a damaged file must not hide the people who may ask.
        for trouble in troubles.dropLast() { printTrouble("grants: \(trouble.message)") }
        if let last = troubles.last { throw last }
    }

    private static func show(_ rows: [Row], json: Bool, isWhole: Bool) throws {
        guard !json else { return try rows.forEach { try printJSON($0) } }
        guard !rows.isEmpty else {
            if isWhole {
                try printLine("You haven't shared your location with anyone from this device.")
            }
            return
        }
        let titles = [
            "GRANT", "NAME", "SAFETY NUMBER", "PRECISION", "UNTIL", "AT MOST EVERY", "HOURS", "USES LEFT", "ASKS YOU",
            "FOLLOW", "STATE",
        ]
        for line in Table.lines(titles, rows.map(\.cells)) { try printLine(line) }
    }
}

private struct Row: Encodable {
    enum State: String, Encodable {
        /// The requester may ask.
        case holds
        /// It has expired.
        case ended
        /// It was revoked.
        case revoked
        /// The grant has no uses left.
        case used
        /// The count of uses is lost, and all requests under the grant are refused.
        case damaged
    }

    let id: String
    let requester: String
    /// Absent for a person without a name.
    let name: String?
    let safetyNumber: String
    let precision: String
    let until: Moment
    let atMostEverySeconds: UInt32
    let hours: GrantHours?
    let uses: UInt16?
    let usesLeft: UInt16?
    let asksYou: Bool
    /// Absent if no live share is allowed.
    let followMinutes: UInt16?
    let state: State

    /// The row of a grant, and an error if the grant limits its uses and the file of uses is damaged.
    static func row(_ grant: Grant, of profile: SharingProfile, now: WallTime) -> (Row, SharingError?) {
        do {
            return (Row(grant, usesLeft: try profile.usesLeft(of: grant), isKnown: true, of: profile, now: now), nil)
        } catch let error as SharingError {
            return (Row(grant, usesLeft: nil, isKnown: false, of: profile, now: now), error)
        } catch {
            let trouble = SharingError(.badProfile, "the uses of your grants cannot be read (\(error)); check the disk")
            return (Row(grant, usesLeft: nil, isKnown: false, of: profile, now: now), trouble)
        }
    }

    private init(_ grant: Grant, usesLeft: UInt16?, isKnown: Bool, of profile: SharingProfile, now: WallTime) {
        self.id = "\(grant.id)"
        self.requester = grant.requester.text
        self.name = profile.title(of: grant.requester)
        self.safetyNumber = grant.requester.safetyNumber
        self.precision = "\(grant.precision)"
        self.until = Moment(grant.notAfter)
        self.atMostEverySeconds = grant.intervalMin
        self.hours = grant.hours.map(GrantHours.init)
        self.uses = grant.usesMax
        self.usesLeft = usesLeft
        self.asksYou = grant.asksPerson
        self.followMinutes = grant.followMinutesMax
        self.state =
            if profile.isRevoked(grant.id) {
                .revoked
            } else if grant.notAfter <= now {
                .ended
            } else if !isKnown {
                .damaged
            } else {
                self.usesLeft == 0 ? .used : .holds
            }
    }

    var cells: [String] {
        let uses = self.usesLeft.map { "\($0) of \(self.uses ?? $0)" } ?? (self.state == .damaged ? "?" : "-")
        let interval = self.atMostEverySeconds == 0 ? "-" : words(seconds: Int(self.atMostEverySeconds))
        return [
            self.id, self.name ?? "-", self.safetyNumber, self.precision, self.until.local, interval,
            self.hours?.words ?? "-", uses, self.asksYou ? "yes" : "-",
            self.followMinutes.map { words(seconds: Int($0) * 60) } ?? "-", self.state.rawValue,
        ]
    }
}

internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts group`: groups whose members may all ask each other.
struct GroupCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group",
        abstract: "Share with a group: one invitation for each person, and everyone can ask everyone.",
        discussion: """
              whereabouts group family --create    you are the founder
              whereabouts invite --group family    you run this, and send the link
              whereabouts accept LINK              they run this, and send a line back
              whereabouts accept LINE --name Bob   you run this: Bob is a member
              whereabouts group                    exchanges grants, lists groups
            Only people whom the founder confirms become members; all see the name that the founder gives. Members give each other ordinary \
            grants on the group's terms, until the group ends. whereabouts revoke NAME takes one back, and the group gives no new one. The \
            other members' programs learn of a new member when their app starts, when they ask, or with this command.

            Exit codes:
              0  shown, or done
              1  there is no such group or member; or the server was not reached: run it again
            """
    )

    @Argument(help: ArgumentHelp("The group's name.", valueName: "name"))
    var group: String?
    @OptionGroup var profile: ProfileOption
    @Flag(help: "Make the group. You confirm its members.")
    var create = false
    @Option(
        help: ArgumentHelp(
            "Precision of the answers in the group: full, or reduced to about 5 km [full].",
            valueName: "full|reduced"
        ),
        transform: parsePrecision
    )
    var precision: Precision?
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("When the group ends, with --create [365d].", valueName: "duration"),
        transform: parseDuration
    )
    var duration: Duration?
    @Option(help: ArgumentHelp("Remove a member from your own group.", valueName: "name"))
    var remove: String?
    @Flag(help: "Leave the group: revoke your grants to its members.")
    var leave = false
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard [self.create, self.remove != nil, self.leave].filter({ $0 }).count <= 1 else {
            throw ValidationError("Use one of --create, --remove and --leave.")
        }
        guard self.create || self.precision == nil && self.duration == nil else {
            throw ValidationError("--precision and --for are terms of a new group. Add --create, or leave them out.")
        }
        guard (self.create || self.remove != nil || self.leave) == (self.group != nil) else {
            throw ValidationError("Name a group together with --create, --remove or --leave.")
        }
    }

    func run() async throws {
        let profile = try self.profile.open()
        guard let name = self.group else { return try await self.list(profile) }
        if self.create {
            let duration = self.duration ?? .seconds(365 * 86_400)
            let group = try profile.groups.found(name, precision: self.precision ?? .full, for: duration)
            let place = ShellWord.path(self.profile.profile)
            try printLine("\(group.offer.name): made. Each member may ask each other: \(group.offer.terms).")
            return try printLine(
                "Invite people with: whereabouts invite --profile \(place) --group=\(ShellWord.of(group.offer.name))"
            )
        }
        let (group, sharer) = (try profile.groups.group(called: name), try Sharer(profile: profile))
        if let remove {
            guard let peer = group.peers.first(where: { profile.calls($0.member.person, remove) }) else {
                throw SharingError(
                    .unknownName,
                    "'\(PlainText.of(remove))' is not a member of \(group.offer.name). `whereabouts group` lists them."
                )
            }
            try await Waiting.said { try await sharer.groups.remove(peer.member.person, from: group.offer.id) }
            return try printLine(
                "\(remove): removed from \(group.offer.name). The others' devices stop answering them when they learn it."
            )
        }
        try await Waiting.said { try await sharer.groups.leave(group.offer.id) }
        try printLine(
            "\(group.offer.name): left. Its members may not ask you any more. Their own grants to you end when the founder removes you."
        )
    }

    private func list(_ profile: SharingProfile) async throws {
        var failure: (any Error)?
        do { try await Waiting.said { try await Sharer(profile: profile).groups.tend() } } catch { failure = error }
        printNews(of: profile)
        let groups = try profile.groups.all()
        if self.json {
            for group in groups { try printJSON(Shown(group, in: profile)) }
        } else if groups.isEmpty {
            try printLine("You are in no group. `whereabouts group NAME --create` makes one.")
        } else {
            let rows = groups.map { Shown($0, in: profile).cells }
            for line in Table.lines(["GROUP", "FOUNDER", "OTHER MEMBERS", "PRECISION", "UNTIL", "STATE"], rows) {
                try printLine(line)
            }
        }
        if let failure { throw failure }
    }

    private struct Shown: Encodable {
        let name: String
        let founder: String
        let others: [String]
        let precision: String
        let until: Moment
        let state: String

        init(_ group: SharingGroup, in profile: SharingProfile) {
            func name(_ person: PublicIdentity) -> String { profile.name(of: person) ?? person.safetyNumber }
            self.name = group.offer.name
            self.founder = group.isFounder ? "you" : name(group.offer.founder)
            self.others = group.peers.map { profile.name(of: $0.member.person) ?? $0.member.name }
            self.precision = "\(group.offer.precision)"
            self.until = Moment(group.offer.notAfter)
            self.state =
                switch group.state {
                case _ where group.offer.notAfter <= .now: "ended"
                case .waiting: "waits for the founder"
                case .member: "member"
                case .removed: "removed by the founder"
                }
        }

        var cells: [String] {
            let others = self.others.isEmpty ? "-" : self.others.joined(separator: ", ")
            return [self.name, self.founder, others, self.precision, self.until.local, self.state]
        }
    }
}

extension GroupOffer {
    /// The terms in a line, as ``Grant/terms``.
    var terms: String {
        "\(self.precision == .full ? "exactly" : "to about 5 km"), until \(Moment(self.notAfter).local)"
    }
}

/// Reports the members who may ask since the last report; an error does not stop the command.
func printNews(of profile: SharingProfile) {
    do {
        for (group, news) in try profile.groups.changeAll({ ($0.offer.name, $0.told()) }) {
            for peer in news {
                let name = profile.name(of: peer.member.person) ?? peer.member.name
                let end = "`whereabouts revoke \(ShellWord.last(name))` ends it"
                printTrouble("\(name) is in \(group) and can ask you now. \(end).")
            }
        }
    } catch {
        printTrouble("\(error)")
    }
}

/// Fetches replies to invitations, and exchanges rosters and grants of the groups, for which other members may wait;
/// `whereabouts group` reports errors.
func tendGroups(of profile: SharingProfile, fetches: Bool = true) async {
    guard profile.awaitsReplies || (try? profile.groups.all())?.isEmpty == false else { return }
    try? await Sharer(profile: profile).groups.tend(fetches: fetches)
    printNews(of: profile)
}

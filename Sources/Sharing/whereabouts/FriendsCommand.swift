internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts friends`: lists, renames and deletes sharers and requesters.
struct FriendsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "friends",
        abstract: "List the people you can ask and the people who can ask you.",
        discussion: """
              whereabouts friends                       lists them
              whereabouts friends Bob --rename Robert   changes what you call Bob
              whereabouts friends Bob --forget          deletes Bob's grant, your schedules that ask him, and his name

            A group's member whom you forget stays a member; whereabouts group removes members, or leaves the group.

            Exit codes:
              0  shown, or done
              1  there is nobody of this name; or they may still ask you: revoke first
            """
    )

    @Argument(help: ArgumentHelp("The name that you gave the person, or their safety number.", valueName: "name"))
    var friend: String?
    @OptionGroup var profile: ProfileOption
    @Option(help: ArgumentHelp("Change what you call them.", valueName: "name"))
    var rename: String?
    @Flag(help: "Delete their grant, your schedules that ask them, and their name.")
    var forget = false
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        let changes = self.rename != nil || self.forget
        guard self.rename == nil || !self.forget else { throw ValidationError("Use either --rename or --forget.") }
        guard changes == (self.friend != nil) else {
            throw ValidationError("Name a person together with --rename or --forget.")
        }
        guard !changes || !self.json else { throw ValidationError("--json lists people; leave it out here.") }
    }

    func run() async throws {
        let profile = try self.profile.open()
        if profile.awaitsReplies {
            await Waiting.said { await tendGroups(of: profile) }
        } else {
            printNews(of: profile)
        }
        let friends = try Friend.all(in: profile, now: .now)
        guard let typed = self.friend else { return try self.show(friends) }
        let meant = friends.filter { profile.calls($0.person, typed) || $0.safetyNumber == typed }
        guard let friend = meant.first else {
            throw SharingError(
                .unknownName,
                "There is nobody called '\(PlainText.of(typed))'. `whereabouts friends` lists the people you know."
            )
        }
        if let rename {
            try profile.call(friend.person, rename)
            try printLine("\(profile.name(of: friend.person) ?? rename): renamed.")
        } else {
            try profile.forget(friend.person)
            try printLine("\(friend.name ?? friend.safetyNumber): forgotten.")
        }
    }

    private func show(_ friends: [Friend]) throws {
        guard !self.json else { return try friends.forEach { try printJSON($0) } }
        guard !friends.isEmpty else {
            return try printLine("You have no friends yet. `whereabouts invite` makes a link for one.")
        }
        let titles = ["NAME", "SAFETY NUMBER", "YOU CAN ASK", "CAN ASK YOU"]
        for line in Table.lines(titles, friends.map(\.cells)) { try printLine(line) }
    }
}

/// A friend, with both sides' permissions to ask.
private struct Friend: Encodable {
    let person: PublicIdentity
    /// Absent for a friend without a name.
    let name: String?
    let safetyNumber: String
    /// Until when the friend can be asked, unless they revoke the grant; absent without a grant.
    let askableUntil: Moment?
    /// Until when the friend can ask; absent if they cannot.
    let mayAskUntil: Moment?

    private enum CodingKeys: String, CodingKey { case identity, name, safetyNumber, askableUntil, mayAskUntil }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.person.text, forKey: .identity)
        try container.encodeIfPresent(self.name, forKey: .name)
        try container.encode(self.safetyNumber, forKey: .safetyNumber)
        try container.encodeIfPresent(self.askableUntil, forKey: .askableUntil)
        try container.encodeIfPresent(self.mayAskUntil, forKey: .mayAskUntil)
    }

    /// Everyone with a grant in either direction, by name.
    static func all(in profile: SharingProfile, now: WallTime) throws -> [Friend] {
        var (askable, mayAsk): ([PublicIdentity: WallTime], [PublicIdentity: WallTime]) = ([:], [:])
        for grant in try profile.received().map(\.value) { askable[grant.sharer] = grant.notAfter }
        for grant in try profile.readableGrants().grants.map(\.value) {
            let end = grant.holds(in: profile) ? grant.notAfter : WallTime(milliseconds: 0)
            mayAsk[grant.requester] = max(mayAsk[grant.requester] ?? end, end)
        }
        let people = Set(askable.keys).union(mayAsk.keys)
        // Expired grants stay stored, but a person who was deleted must not be listed because of them.
        let known = people.filter { person in
            profile.name(of: person) != nil || askable[person] != nil || mayAsk[person].map { $0 > now } == true
        }
        return known.map { person in
            Friend(
                person: person,
                name: profile.title(of: person),
                safetyNumber: person.safetyNumber,
                askableUntil: askable[person].flatMap { $0 > now ? Moment($0) : nil },
                mayAskUntil: mayAsk[person].flatMap { $0 > now ? Moment($0) : nil }
            )
        }
        .sorted { ($0.name ?? "", $0.safetyNumber) < ($1.name ?? "", $1.safetyNumber) }
    }

    var cells: [String] {
        [
            self.name ?? "-", self.safetyNumber, self.askableUntil.map { "until \($0.local)" } ?? "-",
            self.mayAskUntil.map { "until \($0.local)" } ?? "-",
        ]
    }
}

internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts identity replace`: replaces a key that may have been stolen.
struct IdentityReplaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replace",
        abstract: "Replace your key, because somebody may have it: a lost phone, a stolen file.",
        discussion: """
            Makes a new identity for the same server, revokes the grants of the old key, and removes its devices from the server. Keeps the \
            old directory as DIRECTORY.old, with its journal. Prints a line for each friend; send each friend their line. The old key \
            signs the line, so your friend need not compare safety numbers. If the friend may ask you, the line holds a new grant with the \
            same terms. If you may ask the friend, their program prints a grant for your new key, which they send back. If the server cannot \
            be reached, nothing is replaced, but this device already refuses the old grants. Run the command again.

            Anyone who has the old key can send such a line, too, and ask your friends until they accept yours. They can also register a \
            device with the old key, and answer in your name to people who still use an old grant. Tell your friends yourself, and make sure \
            that each one accepts. Restore a backup of the new directory on your other devices.

            A group is joined by the new key once its founder has accepted your line. A group that you founded keeps its members, but \
            nobody can join it or be removed from it any more: make a new one.

            Without the old key, and without a backup, make a new identity, and send your friends an invitation for both directions: they run \
            whereabouts accept LINK --replaces YOUR-NAME.

            Exit codes:
              0  replaced
              1  nothing was replaced, or the server was not reached: run it again
            """
    )

    @OptionGroup var profile: ProfileOption
    @Flag(help: "Do not ask before the old key is revoked.")
    var yes = false
    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let replacement = ProfileReplacement(of: self.profile.profile)
        try replacement.finishInterrupted()
        let old = try self.profile.open()
        try self.confirm(old)
        let draft = try replacement.begin(from: old)
        let grants = try await self.handOver(old, to: draft)
        let lines = try self.lines(old, draft, grants)
        let groups = try Self.steps(for: old.groups.current(), of: old, profile: self.profile.profile)
        let kept = try replacement.finish()
        for line in lines {
            if self.json {
                try printJSON(line)
            } else {
                try printLine("\(line.name ?? line.safetyNumber): \(line.text)")
            }
        }
        guard !self.json else { return groups.forEach(printTrouble) }
        try self.printNext(try self.profile.open(), kept: kept, hasFriends: !lines.isEmpty)
        for step in groups { try printLine("  \(step)") }
    }

    /// The step for each group.
    static func steps(for groups: [SharingGroup], of old: SharingProfile, profile: String) -> [String] {
        groups.map { group in
            let (name, word) = (group.offer.name, ShellWord.last(group.offer.name))
            guard group.isFounder else {
                let founder = old.name(of: group.offer.founder) ?? group.offer.founder.safetyNumber
                return "\(name): you are a member again once \(founder), who founded the group, has accepted your line."
            }
            return "\(name): you founded the group with the old key, so nobody can join it or be removed any more. "
                + "Ask its members to leave it: whereabouts group --leave \(word). Then make a new one, and invite them: "
                + "whereabouts group --create --profile \(ShellWord.path(profile)) \(word)"
        }
    }

    /// A line for each friend: first the people who may ask, then the people whom this person may ask.
    private func lines(_ old: SharingProfile, _ new: SharingProfile, _ grants: [Signed<Grant>]) throws -> [Line] {
        var sharers = try old.received().filter { $0.value.notAfter > .now }.map(\.value.sharer)
        // Friends who have not accepted the last line gave this key no grant. The new line also contains the last one.
        if !old.successions.isEmpty { sharers += try old.namedPeople().filter { !sharers.contains($0) } }
        // Keep the sharers' names: their next grant is for the new key, and is signed by a known key.
        for sharer in sharers { if let name = old.name(of: sharer) { try new.call(sharer, name) } }
        let others = sharers.filter { sharer in !grants.contains { $0.value.requester == sharer } }
        return grants.map { grant in
            let text = HandedText.text(grant: grant, successions: new.successions)
            return Line(grant.value.requester, in: new, grant: grant.text, text)
        } + others.map { Line($0, in: new, grant: nil, HandedText.text(successions: new.successions)) }
    }

    private func confirm(_ old: SharingProfile) throws {
        guard !self.yes else { return }
        let count = try old.grants().count { $0.value.holds(in: old) }
        let question =
            "This revokes your key and \(count) \(count == 1 ? "grant" : "grants"), and removes all your devices."
        guard isatty(STDIN_FILENO) == 1 else {
            throw SharingError(.badText, "\(question) Not a terminal: pass --yes to go on.")
        }
        printTrouble("\(question) Type yes to go on:")
        guard readLine()?.trimmingCharacters(in: .whitespaces).lowercased() == "yes" else {
            throw SharingError(.badText, "Nothing was changed.")
        }
    }

    private func printNext(_ new: SharingProfile, kept: String, hasFriends: Bool) throws {
        let profile = ShellWord.path(self.profile.profile)
        let number = new.identity.publicIdentity.safetyNumber
        try printLine(
            """
            Your old key no longer works; it is kept in \(kept). Your new safety number: \(number)
            Next:
            \(hasFriends ? Self.steps(profile) : "")\
              Open the app that shares your location again, so that it registers with the new key.
              People you approved on other devices since the backup of this profile need a new grant too.
            """
        )
    }

    /// The steps for the lines above.
    private static func steps(_ profile: String) -> String {
        """
          Send each person above their line, and tell them that it is from you. They run: whereabouts accept LINE
          Some of them get a grant for your new key, and send it back. Run: whereabouts accept GRANT --profile \(profile)

        """
    }

    private func handOver(_ old: SharingProfile, to new: SharingProfile) async throws -> [Signed<Grant>] {
        do {
            return try await Sharer(profile: old).hand(over: Sharer(profile: new))
        } catch let error as SharingError where error.code == .network || error.code == .refused {
            throw SharingError(
                error.code,
                "This profile now refuses requests under the old grants, but the server lacks some revocations, so a lost device may go on "
                    + "answering. Run this command again: \(error.message)"
            )
        }
    }

    /// The line for one friend.
    private struct Line: Encodable {
        let requester: String
        let safetyNumber: String
        let name: String?
        /// Absent for a person who could not ask.
        let grant: String?
        let text: String

        private enum CodingKeys: String, CodingKey { case requester, name, grant, text }

        init(_ friend: PublicIdentity, in profile: SharingProfile, grant: String?, _ text: String) {
            self.requester = friend.text
            self.safetyNumber = friend.safetyNumber
            self.name = profile.name(of: friend)
            self.grant = grant
            self.text = text
        }
    }
}

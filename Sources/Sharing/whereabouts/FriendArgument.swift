internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The friend whom a person asks or follows: a name, or the file of a grant.
struct FriendArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The name that you gave the person; optional if only one person shares with you.",
            valueName: "name"
        )
    )
    var friend: String?
    @Option(help: ArgumentHelp("File with the grant, instead of a name.", valueName: "file"))
    var grant: String?

    func validate() throws {
        guard self.friend == nil || self.grant == nil else {
            throw ValidationError("a name and --grant both say whom to ask; leave one out")
        }
    }

    /// The grant in the file, the friend's grant, or the only grant; if there is none, it is fetched from the entries of the groups.
    func grant(in profile: SharingProfile) async throws -> Signed<Grant> {
        do {
            return try self.known(in: profile)
        } catch {
            await tendGroups(of: profile)
            return try self.known(in: profile)
        }
    }

    private func known(in profile: SharingProfile) throws -> Signed<Grant> {
        if let grant = self.grant { return try readGrant(grant) }
        let grants = try profile.received()
        guard !grants.isEmpty else {
            throw SharingError(
                .unknownName,
                "You have no friends who share their location with you yet. Got a grant? Run `whereabouts accept GRANT`."
            )
        }
        let found = grants.filter { grant in self.friend.map { profile.calls(grant.value.sharer, $0) } ?? true }
        if found.count == 1 { return found[0] }
        // If the file of names is damaged, report that: no friend has a name.
        if let damage = profile.namesDamage { throw damage }
        let names = grants.map { profile.name(of: $0.value.sharer) ?? $0.value.sharer.safetyNumber }.sorted()
        let problem = self.friend.map { "You have no permission from '\(PlainText.of($0))'." } ?? "Say whom to ask."
        throw SharingError(.unknownName, "\(problem) You can ask: \(names.joined(separator: ", ")).")
    }
}

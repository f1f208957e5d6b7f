internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The one whom a person asks or follows: by name, or by the file of a grant.
struct FriendArgument: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "The one to ask, as you call them; may be left out when only one lets you.",
            valueName: "name"
        )
    )
    var friend: String?
    @Option(help: ArgumentHelp("The file that holds the grant, in place of a name.", valueName: "file"))
    var grant: String?

    func validate() throws {
        guard self.friend == nil || self.grant == nil else {
            throw ValidationError("a name and --grant both say whom to ask; leave one out")
        }
    }

    /// The grant in the file, of the friend, or of the only one.
    func grant(in home: SharingHome) throws -> Signed<Grant> {
        if let grant = self.grant { return try readGrant(grant) }
        let grants = try home.received()
        guard !grants.isEmpty else {
            throw SharingError(
                .badHome,
                "nobody lets you ask yet: `whereabouts accept GRANT` keeps a grant, and --grant names the file of one"
            )
        }
        let found = grants.filter { self.friend == nil || home.name(of: $0.value.sharer) == self.friend }
        if found.count == 1 { return found[0] }
        // Without its file nobody has a name.
        if let damage = home.namesDamage { throw damage }
        let names = grants.map { home.name(of: $0.value.sharer) ?? $0.value.sharer.safetyNumber }.sorted()
        let whom = self.friend.map { "nobody whom you call '\(PlainText.of($0))' lets you ask" } ?? "say whom to ask"
        throw SharingError(.badText, "\(whom); these let you: \(names.joined(separator: ", "))")
    }
}

internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts revoke`: revokes a grant.
struct RevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Take a grant back, on this device and on the server.",
        discussion: """
            With a person's name, all their grants are taken back. This device refuses their requests at once; your other devices \
            get none, because the server refuses them. If the server cannot be reached, run the command again. To name a grant that you \
            gave on another device, use its file on that device, or its ID once this device has answered a request under the grant.

            Exit codes:
              0  taken back
              1  there is no such grant; or the server was not reached, and only this device refuses: run it again
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The grant's ID, the name of the person who may ask, or the file that contains the grant.",
            valueName: "id|name|file"
        )
    )
    var grant: String
    @OptionGroup var profile: ProfileOption

    func run() async throws {
        let profile = try self.profile.open()
        let (sharer, grants) = (try Sharer(profile: profile), try self.meant(in: profile))
        // Revoke all of them locally before the first message to the server, which may be unreachable.
        for grant in grants { try sharer.refuse(grant) }
        for grant in grants {
            do {
                try await Waiting.said("revoked on this device; waiting for the server") {
                    try await sharer.revoke(grant)
                }
            } catch let error as SharingError where error.code == .network {
                throw SharingError(
                    .network,
                    "Revoked on this device, which refuses from now on, but the server does not know yet. Run this again: "
                        + error.message
                )
            }
            try printLine("revoked: \(grant.value.id)")
            let requester = grant.value.requester
            let name = profile.title(of: requester) ?? requester.safetyNumber
            if self.isID { printOthers(to: requester, besides: grant.value.id, called: name, in: profile) }
        }
    }

    /// Whether a single grant is meant, rather than all grants of a person.
    private var isID: Bool { GrantID(self.grant) != nil || FileManager.default.fileExists(atPath: self.grant) }

    private func meant(in profile: SharingProfile) throws -> [Signed<Grant>] {
        if FileManager.default.fileExists(atPath: self.grant) { return [try readGrant(self.grant)] }
        if let id = GrantID(self.grant) { return [try profile.grant(id)] }
        let (grants, damage) = try profile.readableGrants()
        let theirs = grants.filter { profile.calls($0.value.requester, self.grant) && $0.value.notAfter > .now }
        // Without a valid grant, send earlier revocations again: the server may not have received them.
        let held = theirs.filter { !profile.isRevoked($0.value.id) }
        guard !theirs.isEmpty else {
            if let damage = profile.namesDamage ?? damage.first { throw damage }
            throw SharingError(
                .unknownName,
                "there is no grant '\(PlainText.of(self.grant))': give an ID that `whereabouts grants` lists, the name of the person who may ask, or the file "
                    + "that contains the grant"
            )
        }
        return held.isEmpty ? theirs : held
    }
}

internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts revoke`: takes a grant back.
struct RevokeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Take a grant back: at once on this device, then on the server.",
        discussion: """
            One who has several is named with those that go on; a name takes back all that they have. Run it again if the server could not be \
            reached; the device refuses meanwhile. Your other devices refuse by the server's word; one that you gave on another device is named \
            by its file there, or by its id once this device answered under it.

            Exit codes:
              0  taken back
              1  there is no such grant; or it is taken back on this device, and the server was not reached: run it again
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The grant: its id as `whereabouts grants` lists it, the name of whoever may ask, or the file that holds it.",
            valueName: "id|name|file"
        )
    )
    var grant: String
    @OptionGroup var home: HomeOption

    func run() async throws {
        let home = try self.home.open()
        let (sharer, grants) = (try Sharer(home: home), try self.meant(in: home))
        // All of them before the first word to the server, which may be away.
        for grant in grants { try sharer.refuse(grant) }
        for grant in grants {
            do {
                try await Waiting.said("revoked on this device, which refuses from now on; waiting for the server") {
                    try await sharer.revoke(grant)
                }
            } catch let error as SharingError where error.code == .network {
                throw SharingError(
                    .network,
                    "revoked on this device, which refuses from now on; the server does not know yet, so run this again: "
                        + error.message
                )
            }
            try printLine("revoked: \(grant.value.id)")
            let requester = grant.value.requester
            let name = home.name(of: requester) ?? requester.safetyNumber
            if self.isID { printOthers(to: requester, besides: grant.value.id, called: name, in: home) }
        }
    }

    /// Whether one grant is meant, and not all of somebody.
    private var isID: Bool { GrantID(self.grant) != nil || FileManager.default.fileExists(atPath: self.grant) }

    private func meant(in home: SharingHome) throws -> [Signed<Grant>] {
        if FileManager.default.fileExists(atPath: self.grant) { return [try readGrant(self.grant)] }
        if let id = GrantID(self.grant) { return [try home.grant(id)] }
        let (grants, damage) = try home.readableGrants()
        let theirs = grants.filter { home.calls($0.value.requester, self.grant) && $0.value.notAfter > .now }
        // Those that were taken back are told to the server again, which may not know.
        let held = theirs.filter { !home.isRevoked($0.value.id) }
        guard !theirs.isEmpty else {
            if let damage = home.namesDamage ?? damage.first { throw damage }
            throw SharingError(
                .badText,
                "there is no grant '\(PlainText.of(self.grant))': give its whole id as `whereabouts grants` lists it, the name of whoever may ask, or the "
                    + "file that holds it"
            )
        }
        return held.isEmpty ? theirs : held
    }
}

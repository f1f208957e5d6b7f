internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts identity replace`: another key in place of one that somebody may have.
struct IdentityReplaceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replace",
        abstract: "Replace your key, because somebody may have it: a lost phone, a stolen file.",
        discussion: """
            Makes a new identity in the place of the old one, with the same server. The old home is kept beside it, with .old at its end, \
            for its journal. Everybody who may ask gets a grant of the new key on the same terms, one a line, to be sent to them. The grants of \
            the old key are revoked, here and on the server, and all its devices are removed there. Run it again if the server could not be \
            reached: until then the home stays as it is, and refuses under the old grants.

            Whoever has the old key can register a device with it again, and answer in your name those who ask by an old grant that was not \
            revoked: have everybody keep the new one. Your other devices get the new home by a backup.

            Exit codes:
              0  replaced
              1  nothing was replaced, or the server was not reached: run it again
            """
    )

    @OptionGroup var home: HomeOption
    @Flag(help: "Do not ask before the old key is revoked.")
    var yes = false
    @Flag(help: "Print JSON.")
    var json = false

    func run() async throws {
        let replacement = HomeReplacement(of: self.home.home)
        try replacement.finishInterrupted()
        let old = try self.home.open()
        try self.confirm(old)
        let grants = try await self.handOver(old, to: try replacement.begin(from: old))
        let asked = try old.received().map { old.name(of: $0.value.sharer) ?? $0.value.sharer.safetyNumber }
        let kept = try replacement.finish()
        let new = try self.home.open()
        for grant in grants {
            let (requester, name) = (grant.value.requester, new.name(of: grant.value.requester))
            if self.json {
                try printJSON(Replaced(requester: requester.text, name: name, grant: grant.text))
            } else {
                try printLine("\(name ?? requester.safetyNumber): \(grant.text)")
            }
        }
        guard !self.json else { return }
        try self.printNext(new, friends: asked, kept: kept)
    }

    private func confirm(_ old: SharingHome) throws {
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

    private func printNext(_ new: SharingHome, friends: [String], kept: String) throws {
        let home = ShellWord.path(self.home.home)
        let number = new.identity.publicIdentity.safetyNumber
        try printLine(
            """
            Your old key no longer works; it is kept in \(kept). Your new safety number: \(number)
            Next:
              Send each person above their new grant. They run: whereabouts accept GRANT --replaces YOUR-NAME
              Open the app that shares your location again, so that it registers with the new key.
              People you approved on other devices since the backup of this home need a new grant too.
            """
        )
        for friend in friends {
            try printLine("  Ask \(friend) for a new permission: whereabouts invite --home \(home)")
        }
    }

    private func handOver(_ old: SharingHome, to new: SharingHome) async throws -> [Signed<Grant>] {
        do {
            return try await Sharer(home: old).hand(over: Sharer(home: new))
        } catch let error as SharingError where error.code == .network || error.code == .refused {
            throw SharingError(
                error.code,
                "This home refuses under the old grants from now on, but the server does not know all of it yet, and a lost device may go on "
                    + "answering. Run this again: \(error.message)"
            )
        }
    }

    private struct Replaced: Encodable {
        let requester: String
        let name: String?
        let grant: String
    }
}

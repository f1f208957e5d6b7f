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
            Makes a new identity for the same server, revokes the grants of the old key, and removes its devices from the server. The old \
            directory is kept as DIRECTORY.old, with its journal. Prints a new grant for each person who may ask you, on the same terms: \
            send each person theirs. If the server cannot be reached, nothing is replaced, but this device already refuses the old grants. \
            Run the command again.

            Anyone who has the old key can register a device with it again, and answer in your name to people who still use an old grant. \
            Make sure that each person accepts the new grant. Restore a backup of the new directory on your other devices.

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

internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts followers`: shows who follows, and ends it.
struct FollowersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "followers",
        abstract: "Show who follows you on this device now, and end it.",
        discussion: """
            Whom you gave a grant with --follow may follow you for a while with one question; your device shows it here.
              whereabouts followers             shows who follows, how exactly, since when and until when
              whereabouts followers --end       ends it for all of them
              whereabouts followers --end Bob   ends it for Bob, who may be named by the request's id, too
            If you share with several devices, each shows and ends those who follow it: a following stays with the device that began it.
            They are told nothing from then on, and read that you ended it. The grant still holds; revoke takes it back. One who ended it \
            is listed until your device's next word to them: at most 5 min, while it stands still.

            Exit codes:
              0  shown, or ended
              1  nobody follows under this name; or the server does not know of the end yet: run it again
            """
    )

    @Argument(help: ArgumentHelp("Who is to follow no longer, or which request.", valueName: "name|id"))
    var which: String?
    @OptionGroup var home: HomeOption
    @Flag(help: "End it.")
    var end = false
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if self.end, self.json { throw ValidationError("--end prints lines; leave out --json") }
        if !self.end, let which { throw ValidationError("say --end to \(which)") }
    }

    func run() async throws {
        let home = try self.home.open()
        let followers = home.followers()
        guard self.end else { return try self.show(followers, home) }
        let meant = followers.filter { follower in
            guard let which = self.which else { return true }
            return "\(follower.request)" == which || home.calls(follower.requester, which)
        }
        let sharer = try Sharer(home: home)
        for follower in meant {
            let name = home.name(of: follower.requester) ?? follower.requester.safetyNumber
            do {
                try await Waiting.said("\(name) is told nothing more by this device; waiting for the server") {
                    try await sharer.end(follower)
                }
            } catch let error as SharingError where error.code == .network {
                throw SharingError(
                    .network,
                    "\(name) is told nothing more by this device; the server does not know yet, so run this again: \(error.message)"
                )
            }
            try printLine("\(name) follows no longer")
        }
        // Those of before that the server was not reached with.
        let count = try await Waiting.said { try await sharer.sayEnds() }
        guard meant.isEmpty, count == 0 else { return }
        let nobody = "nobody follows this device"
        let whom = self.which.map { "\(nobody) under '\(PlainText.of($0))'" } ?? nobody
        throw SharingError(.badText, "\(whom); `whereabouts followers` shows who does")
    }

    private func show(_ followers: [Follower], _ home: SharingHome) throws {
        let rows = followers.map { Row($0, of: home) }
        guard !self.json else { return try rows.forEach { try printJSON($0) } }
        guard !rows.isEmpty else {
            return try printLine("nobody follows this device of yours; each of your devices lists those who follow it")
        }
        let titles = ["REQUEST", "NAME", "SAFETY NUMBER", "PRECISION", "SINCE", "UNTIL"]
        for line in Table.lines(titles, rows.map(\.cells)) { try printLine(line) }
    }

    private struct Row: Encodable {
        let request: String
        let requester: String
        /// Absent for one without a name.
        let name: String?
        let safetyNumber: String
        let precision: String
        let since: Moment
        let until: Moment

        init(_ follower: Follower, of home: SharingHome) {
            self.request = "\(follower.request)"
            self.requester = follower.requester.text
            self.name = home.name(of: follower.requester)
            self.safetyNumber = follower.requester.safetyNumber
            self.precision = "\(follower.precision)"
            (self.since, self.until) = (Moment(follower.since), Moment(follower.until))
        }

        var cells: [String] {
            [self.request, self.name ?? "-", self.safetyNumber, self.precision, self.since.local, self.until.local]
        }
    }
}

internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts followers`: lists the followers, and ends live shares.
struct FollowersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "followers",
        abstract: "List the people who follow you live on this device, or end their live shares.",
        discussion: """
            People with a grant that has --follow may follow you live for a while.
              whereabouts followers             lists who follows, at which precision, since when and until when
              whereabouts followers --end       ends it for everyone
              whereabouts followers --end Bob   ends it for Bob; the request's ID works, too
            They get no more updates, and see that you ended it. Their grant stays valid; `whereabouts revoke` ends it. If you share \
            with several devices, each lists its own followers. Somebody who stopped following is listed for up to 5 min.

            Exit codes:
              0  shown, or ended
              1  nobody follows under this name; or the server does not know of the end yet: run it again
            """
    )

    @Argument(help: ArgumentHelp("The follower, or the ID of the request.", valueName: "name|id"))
    var which: String?
    @OptionGroup var profile: ProfileOption
    @Flag(help: "End it.")
    var end = false
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if self.end, self.json { throw ValidationError("--end prints lines; leave out --json") }
        if !self.end, self.which != nil { throw ValidationError("Name a follower together with --end.") }
    }

    func run() async throws {
        let profile = try self.profile.open()
        let followers = profile.followers()
        guard self.end else { return try self.show(followers, profile) }
        let meant = followers.filter { follower in
            guard let which = self.which else { return true }
            return "\(follower.request)" == which || profile.calls(follower.requester, which)
        }
        let sharer = try Sharer(profile: profile)
        for follower in meant {
            let name = profile.title(of: follower.requester) ?? follower.requester.safetyNumber
            do {
                try await Waiting.said("\(name) gets no more updates from this device; waiting for the server") {
                    try await sharer.end(follower)
                }
            } catch let error as SharingError where error.code == .network {
                throw SharingError(
                    .network,
                    "\(name) gets no more updates from this device, but the server does not know yet. Run this again: \(error.message)"
                )
            }
            try printLine("\(name) no longer follows you")
        }
        // Send the ends that earlier calls could not send to the server.
        let count = try await Waiting.said { try await sharer.sayEnds() }
        guard meant.isEmpty, count == 0 else { return }
        let nobody = "nobody follows this device"
        let whom = self.which.map { "\(nobody) under '\(PlainText.of($0))'" } ?? nobody
        throw SharingError(.badText, "\(whom); `whereabouts followers` shows who does")
    }

    private func show(_ followers: [Follower], _ profile: SharingProfile) throws {
        let rows = followers.map { Row($0, of: profile) }
        guard !self.json else { return try rows.forEach { try printJSON($0) } }
        guard !rows.isEmpty else {
            return try printLine("No one follows this device. Each of your devices lists its own followers.")
        }
        let titles = ["REQUEST", "NAME", "SAFETY NUMBER", "PRECISION", "SINCE", "UNTIL"]
        for line in Table.lines(titles, rows.map(\.cells)) { try printLine(line) }
    }

    private struct Row: Encodable {
        let request: String
        let requester: String
        /// Absent for a person without a name.
        let name: String?
        let safetyNumber: String
        let precision: String
        let since: Moment
        let until: Moment

        init(_ follower: Follower, of profile: SharingProfile) {
            self.request = "\(follower.request)"
            self.requester = follower.requester.text
            self.name = profile.title(of: follower.requester)
            self.safetyNumber = follower.requester.safetyNumber
            self.precision = "\(follower.precision)"
            (self.since, self.until) = (Moment(follower.since), Moment(follower.until))
        }

        var cells: [String] {
            [self.request, self.name ?? "-", self.safetyNumber, self.precision, self.since.local, self.until.local]
        }
    }
}

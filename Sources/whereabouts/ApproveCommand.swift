internal import ArgumentParser
internal import Foundation
internal import Sharing
internal import Vocabulary

/// `whereabouts approve`: grants.
struct ApproveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Allow someone to ask where you are.",
        discussion: """
            Compare the requester's safety number with them first. The grant is one line of text, to be handed over; \
            only the holder of the requester's key can use it.
            """
    )

    @Argument(help: "The requester's id, as `whereabouts identity show` prints it.")
    var requester: String
    @OptionGroup var home: HomeOption
    @Option(
        help: ArgumentHelp(
            "How exactly they may know: full, which is the default, or reduced to a cell of about 5 km.",
            valueName: "full|reduced"
        ),
        transform: parsePrecision
    )
    var precision = Precision.full
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("For how long, such as 12h or 7d.", valueName: "duration"),
        transform: parseDuration
    )
    var duration: Duration
    @Option(
        help: ArgumentHelp(
            "The least time between two requests, such as 10m; none if not given.",
            valueName: "duration"
        ),
        transform: parseDuration
    )
    var atMostEvery: Duration = .zero
    @Option(help: ArgumentHelp("Write the grant to this new file instead of standard output.", valueName: "file"))
    var out: String?

    func run() async throws {
        let sharer = try Sharer(home: self.home.open())
        let requester = try PublicIdentity(text: self.requester)
        // Before the grant, which would hold although nobody got it.
        let file = try self.out.map { try GrantFile(creating: $0) }
        let grant: Signed<Grant>
        do {
            grant = try sharer.approve(
                requester: requester,
                precision: self.precision,
                for: self.duration,
                atMostEvery: self.atMostEvery
            )
        } catch {
            file?.remove()
            throw error
        }
        guard let file else { return try printLine(grant.text) }
        do {
            try file.write(grant)
        } catch {
            throw SharingError(
                .badHome,
                "\(file.path) cannot be written (\(error.localizedDescription)); the grant is made: print it with "
                    + "`whereabouts grants --home \(self.home.home) --text \(grant.value.id)`, or revoke it"
            )
        }
        let end = Date(timeIntervalSince1970: grant.value.notAfter.timeIntervalSince1970)
        try printLine("approved until \(end.formatted(.iso8601)): \(file.path)")
    }
}

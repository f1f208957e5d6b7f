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
    @Option(help: ArgumentHelp("Write the grant to this file instead of standard output.", valueName: "file"))
    var out: String?

    func run() async throws {
        let grant = try Sharer(home: self.home.open()).approve(
            requester: PublicIdentity(text: self.requester),
            precision: self.precision,
            for: self.duration,
            atMostEvery: self.atMostEvery
        )
        guard let out = self.out else { return try printLine(grant.text) }
        do {
            // Whole or not at all, but for what is no file: a pipe or a terminal is written to, not replaced.
            let kind = try? FileManager.default.attributesOfItem(atPath: out)[.type] as? FileAttributeType
            let isFile = kind == nil || kind == .typeRegular
            try Data("\(grant.text)\n".utf8).write(to: URL(filePath: out), options: isFile ? .atomic : [])
        } catch {
            throw SharingError(
                .badHome,
                "\(out) cannot be written (\(error.localizedDescription)): "
                    + "a file in a directory of yours is due; the grant is made and stands in "
                    + "\(self.home.home)/grants/\(grant.value.id): hand that over, or revoke it"
            )
        }
        let end = Date(timeIntervalSince1970: grant.value.notAfter.timeIntervalSince1970)
        try printLine("approved until \(end.formatted(.iso8601)): \(out)")
    }
}

internal import ArgumentParser
internal import Foundation
internal import Sharing

/// `whereabouts invite`: a link for somebody whom one wants to ask where they are.
struct InviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Make a link for someone whom you want to ask where they are.",
        discussion: """
            The link holds your public key, your name, and the server with the certificates to trust there; it allows nothing. Whoever \
            accepts it compares your safety number with you, and sends back a grant:
              whereabouts accept LINK      they
              whereabouts accept GRANT     you
              whereabouts ask              you
            As a code for cameras: whereabouts invite --link | qrencode -t ANSIUTF8
            """
    )

    @OptionGroup var home: HomeOption
    @Option(
        help: ArgumentHelp(
            "Your name, as they are to see it; the one of this account, if not given.",
            valueName: "name"
        )
    )
    var name: String?
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("For how long they can accept it, at most 31d; 7d if not given.", valueName: "duration"),
        transform: parseDuration
    )
    var duration: Duration = .seconds(7 * 86_400)
    @Flag(help: "Print the link alone.")
    var link = false
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard !self.link || !self.json else { throw ValidationError("--link prints text; leave out --json") }
    }

    func run() async throws {
        let home = try self.home.open()
        let invitation = try home.invitation(name: self.name ?? NSUserName(), for: self.duration)
        if self.link { return try printLine(invitation.text) }
        let number = home.identity.publicIdentity.safetyNumber
        if self.json { return try printJSON(Shown(link: invitation.text, safetyNumber: number)) }
        try printLine(invitation.text)
        try printLine("")
        try printLine("Send the line above. They type: whereabouts accept LINK")
        try printLine("Your safety number, which they are to hear from you and not from the link: \(number)")
    }

    private struct Shown: Encodable {
        let link: String
        let safetyNumber: String
    }
}

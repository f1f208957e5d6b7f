internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts invite`: creates a link that asks a person for permission to see where they are.
struct InviteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "invite",
        abstract: "Make a link for somebody whose location you want to see.",
        discussion: """
            The link holds your public key, your name, the server's address and its certificates. It gives nobody any permission. The \
            other person compares your safety number with you, and sends back a grant:
              whereabouts accept LINK      they run this
              whereabouts accept GRANT     you run this
              whereabouts ask              you run this
            With --both you let each other ask, with one link:
              whereabouts invite --both    you run this
              whereabouts accept LINK      they run this, and send you the line that it prints
              whereabouts accept LINE      you run this; your grant reaches them over the server
            A terminal that is wide enough also shows each line as a QR code.
            """
    )

    @OptionGroup var profile: ProfileOption
    @Option(
        help: ArgumentHelp(
            "Your name, as the other person sees it [default: your last one, or ask at a terminal].",
            valueName: "name"
        )
    )
    var name: String?
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp("How long the invitation can be accepted, at most 31d [7d].", valueName: "duration"),
        transform: parseDuration
    )
    var duration: Duration = .seconds(7 * 86_400)
    @Flag(help: "Also offer that they may ask where you are. You confirm it when you accept their reply.")
    var both = false
    @Option(help: ArgumentHelp("Invite to a group that you founded (whereabouts group).", valueName: "name"))
    var group: String?
    @Flag(help: "Print only the link.")
    var link = false
    @Flag(help: "Print the QR code even if it is wider than the terminal, or there is no terminal.")
    var qr = false
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard !self.both || self.group == nil else {
            throw ValidationError("Members of a group ask each other. Leave out --both.")
        }
        guard !self.link || !self.json else { throw ValidationError("--link prints text; leave out --json") }
        guard !self.qr || !self.link && !self.json else {
            throw ValidationError("--qr prints a code; leave out --link and --json")
        }
    }

    func run() async throws {
        let profile = try self.profile.open()
        let invitation = try profile.invitation(
            name: profile.ownName(given: self.name, option: "--name"),
            for: self.duration,
            offersGrant: self.both,
            group: self.group.map { try self.offer(of: profile.groups.group(called: $0)) }
        )
        if self.link { return try printLine(invitation.text) }
        let number = profile.identity.publicIdentity.safetyNumber
        if self.json { return try printJSON(Shown(link: invitation.text, safetyNumber: number)) }
        try printLine(invitation.text)
        try printLine("")
        try printCode(of: invitation.text, isWanted: self.qr)
        try printLine("Send the line above. They run: whereabouts accept LINK")
        if self.group != nil {
            let profile = ShellWord.path(self.profile.profile)
            try printLine("Each person sends back a line. Run: whereabouts accept LINE --profile \(profile)")
        }
        if self.both {
            let profile = ShellWord.path(self.profile.profile)
            try printLine("They send back a line. Run: whereabouts accept LINE --profile \(profile)")
        }
        try printLine("Your safety number. Tell it to them in person or by voice: \(number)")
    }

    private func offer(of group: SharingGroup) throws -> GroupOffer {
        guard group.isFounder else {
            throw SharingError(
                .badText,
                "You did not found \(group.offer.name). Ask its founder to invite the person, since the founder confirms each member."
            )
        }
        return group.offer
    }

    private struct Shown: Encodable {
        let link: String
        let safetyNumber: String
    }
}

/// Prints a text as a QR code if the terminal is wide enough, or if it is explicitly wanted; otherwise prints what is
/// missing.
func printCode(of text: String, isWanted: Bool = false) throws {
    guard let code = QRCode(text) else {
        if isWanted { printTrouble("The line has more than \(QRCode.bytesMax) bytes, too many for a QR code.") }
        return
    }
    let columns = Terminal.columns
    if isWanted || columns.map({ $0 >= code.columns }) ?? false {
        for line in code.lines { try printLine(line) }
        try printLine("")
    } else if columns != nil {
        try printLine("A terminal with \(code.columns) columns also shows it as a QR code.")
    }
}

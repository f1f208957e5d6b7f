internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing

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
            A terminal that is wide enough shows it as a QR code, too, for a camera; --qr prints one in any case.
            """
    )

    @OptionGroup var home: HomeOption
    @Option(
        help: ArgumentHelp(
            "Your name, as they see it (default: your previous name, or the name of this account).",
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
    @Flag(help: "Print the QR code in any case, also where it is wider than the terminal, or there is none.")
    var qr = false
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard !self.link || !self.json else { throw ValidationError("--link prints text; leave out --json") }
        guard !self.qr || !self.link && !self.json else {
            throw ValidationError("--qr prints a code; leave out --link and --json")
        }
    }

    func run() async throws {
        let home = try self.home.open()
        let me = home.identity.publicIdentity
        if let name { try home.call(me, name) }
        let invitation = try home.invitation(name: home.name(of: me) ?? NSUserName(), for: self.duration)
        if self.link { return try printLine(invitation.text) }
        let number = home.identity.publicIdentity.safetyNumber
        if self.json { return try printJSON(Shown(link: invitation.text, safetyNumber: number)) }
        try printLine(invitation.text)
        try printLine("")
        try self.showCode(of: invitation.text)
        try printLine("Send the line above. They type: whereabouts accept LINK")
        try printLine("Your safety number, which they are to hear from you and not from the link: \(number)")
    }

    /// Prints the QR code of a link, where a camera can read it; else says what is missing.
    private func showCode(of link: String) throws {
        guard let code = QRCode(link) else {
            if self.qr {
                printTrouble("invite: the link has more than \(QRCode.bytesMax) bytes, too many for a QR code")
            }
            return
        }
        let columns = Terminal.columns
        if self.qr || columns.map({ $0 >= code.columns }) ?? false {
            for line in code.lines { try printLine(line) }
            try printLine("")
        } else if columns != nil {
            try printLine("A terminal of \(code.columns) columns shows it as a QR code, too.")
        }
    }

    private struct Shown: Encodable {
        let link: String
        let safetyNumber: String
    }
}

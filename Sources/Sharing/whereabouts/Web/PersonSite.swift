internal import Foundation
internal import WhereaboutsConsole
internal import WhereaboutsJSONReading
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The page of a person.
///
/// It shows the JSON output of `whereabouts`, and offers the same commands. Each list and each order runs this program
/// again, so the page can do only what the command line does. No output contains a key of the profile. The reply to `link`
/// contains the key of the link, once, for the page that ordered it.
struct PersonSite: ConsoleSite {
    /// An order of the page.
    fileprivate struct Order: Decodable {
        let verb: Verb
        /// A name or an ID; nil if the command needs none.
        let who: String?
        /// The new name.
        let name: String?
        /// The line to accept, or the password of a link; it becomes the input of the command.
        let text: String?
        /// The values of options, by their names without hyphens; a flag may have any value.
        let options: [String: String]?
    }

    fileprivate enum Verb: String, Decodable {
        case ask, follow, stop, yes, no, revoke, unfollow, unschedule, rename, forget, invite, read, accept, link
        case answerHere, nameDevice, removeDevice
        case createGroup, inviteToGroup, removeMember, leaveGroup
    }

    /// A line to send to another person.
    private struct Made: Encodable {
        let line: String
        /// The rows of its QR code: 1 is dark; absent if the line is too long.
        let code: [String]?
        /// The number that the other person compares.
        let safetyNumber: String
        /// A warning of the command; empty if there is none.
        let warning: String
    }

    let page = ConsolePage("person.html", scripts: ["person-words.js", "person.js"])
    let actions: Set<String> = ["order"]
    private let profile: String
    private let inquiries: RunningInquiries

    init(profile: String) {
        self.profile = profile
        self.inquiries = RunningInquiries(profile: profile)
    }

    func feed(_ query: String) -> any ConsoleFeed { PersonFeed(profile: self.profile, inquiries: self.inquiries) }

    func act(_ action: String, _ body: String) async throws -> String {
        guard let order = try? JSONReader().decode(Order.self, from: Data(body.utf8)) else {
            throw SharingError(.badText, "this order is not available on the page. Use the command line.")
        }
        switch order.verb {
        case .ask:
            let schedule = try order.options(["every", "until"])
            try self.inquiries.begin(.ask, try order.given(\.who), options: schedule)
        case .follow: try self.inquiries.begin(.follow, try order.given(\.who))
        case .stop: self.inquiries.stop(Int(try order.given(\.who)) ?? -1)
        case .read:
            let line = try PastedLine(order.given(\.text), in: SharingProfile(path: self.profile))
            return try Self.json(line)
        default:
            let arguments = try Self.arguments(of: order)
            let ended = try await OwnCommand().run(
                [arguments[0], "--profile", self.profile] + arguments.dropFirst(),
                input: order.text
            )
            guard ended.status == 0 else {
                // Notices and progress may precede the error.
                let error = ended.errors.firstRange(of: "Error: ").map { ended.errors[$0.lowerBound...] }
                throw SharingError(.badText, Self.cause(error.map(String.init) ?? ended.errors))
            }
            self.inquiries.carriedOut()
            if let line = ended.lines.first, [.invite, .inviteToGroup, .accept, .link].contains(order.verb) {
                return try self.made(line, order.verb, ended.errors)
            }
        }
        return "{}"
    }

    /// The reply to a command whose first line of output is for another person.
    private func made(_ line: String, _ verb: Verb, _ errors: String) throws -> String {
        // `accept` prints a sentence if there is nothing to send back.
        guard verb != .accept || HandedText.begins(line) else { return "{}" }
        let code = QRCode(line).map { code in
            (0..<code.size).map { row in
                String((0..<code.size).map { code.isDark(row: row, column: $0) ? "1" : "0" })
            }
        }
        let number = try SharingProfile(path: self.profile).identity.publicIdentity.safetyNumber
        let warning = verb == .link ? Self.words(errors) : ""
        return try Self.json(Made(line: line, code: code, safetyNumber: number, warning: warning))
    }

    private static func json(_ value: some Encodable) throws -> String {
        String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
    }

    /// The command line of an order.
    ///
    /// Words from the page follow `--` or `=`, so that none is parsed as an option.
    private static func arguments(of order: Order) throws -> [String] {
        switch order.verb {
        case .yes: ["questions", "--yes", "--", try order.id()]
        case .no: ["questions", "--no", "--", try order.id()]
        case .revoke: ["revoke", "--", try order.id()]
        case .unfollow: ["followers", "--end", "--", try order.id()]
        case .unschedule: ["schedules", "--end", "--", try order.id()]
        case .rename: ["friends", "--rename=\(try order.given(\.name))", "--", try order.given(\.who)]
        case .forget: ["friends", "--forget", "--", try order.given(\.who)]
        case .invite: ["invite", "--link"] + (try order.options(["name", "for"], flags: ["both"]))
        case .accept:
            ["accept", OwnCommand.inputPath]
                + (try order.options(["safety-number", "name", "own-name"] + Self.terms, flags: ["both", "ask-me"]))
        case .link:
            ["link"] + (try order.options(["name", "own-name"] + Self.terms, flags: ["ask-me"]))
                + (order.text == nil ? [] : ["--password=\(OwnCommand.inputPath)"])
        case .answerHere: ["devices", "--answer-here"]
        case .nameDevice: ["devices", "--name=\(try order.given(\.name))"]
        case .removeDevice: ["devices", "--remove=\(try order.id())"]
        case .createGroup:
            ["group", "--create"] + (try order.options(["precision", "for"])) + ["--", try order.given(\.who)]
        case .inviteToGroup: ["invite", "--link", "--group=\(try order.given(\.who))"]
        case .removeMember: ["group", "--remove=\(try order.given(\.name))", "--", try order.given(\.who)]
        case .leaveGroup: ["group", "--leave", "--", try order.given(\.who)]
        case .ask, .follow, .stop, .read: preconditionFailure("act(_:_:) carries them out")
        }
    }

    /// The options of a grant's terms.
    private static let terms = ["for", "precision", "uses", "at-most-every", "hours", "follow"]

    /// The message of a failed command, without its usage lines and its progress.
    static func cause(_ errors: String) -> String {
        let words = self.words(errors)
        return words.isEmpty ? "the command failed without a message. Run it on a terminal." : words
    }

    static func words(_ errors: String) -> String {
        let lines = errors.split(separator: "\n").prefix { !$0.hasPrefix("Usage:") && !$0.hasPrefix("Help:") }
            .filter { $0 != Waiting.message() }
        return lines.joined(separator: " ").replacing("Error: ", with: "")
    }
}

extension PersonSite.Order {
    fileprivate func given(_ field: KeyPath<Self, String?>) throws -> String {
        guard let value = self[keyPath: field], !value.isEmpty else {
            throw SharingError(
                .badText,
                "The order contains no name, ID or text. Fill in the field, or reload the page."
            )
        }
        return value
    }

    /// The order's options as arguments.
    ///
    /// - Parameters:
    ///   - names: the options that the command accepts from a page.
    ///   - flags: options without a value.
    /// - Returns: the arguments.
    /// - Throws: ``SharingError`` when the order has another option.
    fileprivate func options(_ names: [String], flags: [String] = []) throws -> [String] {
        let given = self.options ?? [:]
        if let other = given.keys.sorted().first(where: { !names.contains($0) && !flags.contains($0) }) {
            throw SharingError(.badText, "'\(PlainText.of(other))': this order has no such option. Reload the page.")
        }
        return names.compactMap { name in given[name].map { "--\(name)=\($0)" } }
            + flags.filter { given[$0] != nil }.map { "--\($0)" }
    }

    /// Returns the order's ID.
    ///
    /// Some subcommands also accept the path of a file, which a page must not name.
    fileprivate func id() throws -> String {
        let id = try self.given(\.who)
        guard id.allSatisfy({ $0.isHexDigit || $0 == "-" }) else {
            throw SharingError(.badText, "'\(PlainText.of(id))': not an ID. Reload the page.")
        }
        return id
    }
}

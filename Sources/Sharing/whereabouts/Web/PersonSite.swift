internal import Foundation
internal import WhereaboutsConsole
internal import WhereaboutsJSONReading
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The page of a person.
///
/// It shows the JSON output of `whereabouts`, and offers the same commands. Each list and each order runs this program again,
/// so the page can do only what the command line does. These subcommands print no secret key. `link` is not offered, because
/// it prints the link's key.
struct PersonSite: ConsoleSite {
    /// An order of the page.
    fileprivate struct Order: Decodable {
        let verb: Verb
        /// A name or an ID; nil if the command needs none.
        let who: String?
        /// The new name.
        let name: String?
    }

    fileprivate enum Verb: String, Decodable {
        case ask, follow, stop, yes, no, revoke, unfollow, unschedule, rename, forget, invite, answerHere, removeDevice
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
        case .ask: try self.inquiries.begin(.ask, try order.given(\.who))
        case .follow: try self.inquiries.begin(.follow, try order.given(\.who))
        case .stop: self.inquiries.stop(Int(try order.given(\.who)) ?? -1)
        default:
            let arguments = try Self.arguments(of: order)
            let ended = try await OwnCommand().run([arguments[0], "--profile", self.profile] + arguments.dropFirst())
            guard ended.status == 0 else { throw SharingError(.badText, Self.cause(ended.errors)) }
            self.inquiries.carriedOut()
            if order.verb == .invite { return ended.lines.last ?? "{}" }
        }
        return "{}"
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
        case .invite: ["invite", "--json"]
        case .answerHere: ["devices", "--answer-here"]
        case .removeDevice: ["devices", "--remove=\(try order.id())"]
        case .ask, .follow, .stop: preconditionFailure("inquiries are begun and stopped")
        }
    }

    /// The message of a failed command, without its usage lines and its progress.
    static func cause(_ errors: String) -> String {
        let lines = errors.split(separator: "\n").prefix { !$0.hasPrefix("Usage:") && !$0.hasPrefix("Help:") }
            .filter { $0 != Waiting.message() }
        let words = lines.joined(separator: " ").replacing("Error: ", with: "")
        return words.isEmpty ? "the command failed without a message. Run it on a terminal." : words
    }
}

extension PersonSite.Order {
    fileprivate func given(_ field: KeyPath<Self, String?>) throws -> String {
        guard let value = self[keyPath: field], !value.isEmpty else {
            throw SharingError(.badText, "the order contains no name or ID. Reload the page.")
        }
        return value
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

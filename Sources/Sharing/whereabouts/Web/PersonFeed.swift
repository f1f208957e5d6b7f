internal import Foundation
internal import Synchronization
internal import WhereaboutsConsole

/// The events for one open page: each change of the JSON that the subcommands print.
final class PersonFeed: ConsoleFeed {
    /// How often to check the profile for changes.
    private static let period = Duration.milliseconds(500)
    /// How long a list is valid: a grant expires without a change in the profile.
    private static let age = Duration.seconds(60)

    /// The maximum number of news to keep for a page; older ones are dropped.
    ///
    /// Source: our choice; a group has at most 12 members.
    private static let newsMax = 20

    private struct State {
        /// The last JSON that was sent for each part.
        var sent: [String: String] = [:]
        /// The versions of the inquiries that were sent; nil until the first events.
        var versions: RunningInquiries.Versions?
        var stamp = 0
        var nextLists = ContinuousClock.now
        var nextDevices = ContinuousClock.now
        /// The last lists that need the server; empty before the first ones.
        var fromServer: [String: String] = [:]
        /// The members of groups who may ask since the page was opened; `group` reports each one only once.
        var news: [String] = []
        var isAskingServer = false
    }

    private let profile: String
    private let inquiries: RunningInquiries
    private let state = Mutex(State())

    init(profile: String, inquiries: RunningInquiries) {
        self.profile = profile
        self.inquiries = inquiries
    }

    func next() async -> [ConsoleEvent] {
        let (now, versions, stamp) = (ContinuousClock.now, self.inquiries.versions, self.stamp)
        let (hasChanged, needsLists, needsDevices, fromServer) = self.state.withLock { state in
            let hasOrders = state.versions?.orders != versions.orders
            let hasChanged = state.versions?.states != versions.states
            let needsLists = hasOrders || state.stamp != stamp || now >= state.nextLists
            if hasOrders { state.nextDevices = now }
            let needsDevices = !state.isAskingServer && now >= state.nextDevices
            (state.versions, state.stamp) = (versions, stamp)
            if needsLists { state.nextLists = now + Self.age }
            if needsDevices { (state.nextDevices, state.isAskingServer) = (now + Self.age, true) }
            return (hasChanged, needsLists, needsDevices, state.fromServer)
        }
        var parts: [(String, String)] = hasChanged ? [("requests", self.inquiries.json)] : []
        if needsLists {
            for list in ["friends", "grants", "questions", "followers", "schedules", "journal"] {
                parts.append((list, await self.list(list)))
            }
        }
        // Only the server has the devices and the new members of groups, so no file shows a change. An unreachable
        // server takes ten seconds.
        if needsDevices { Task { await self.askServer() } }
        parts += fromServer.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let events = self.state.withLock { state in
            parts.filter { state.sent.updateValue($0.1, forKey: $0.0) != $0.1 }.map { ConsoleEvent($0.0, $0.1) }
        }
        if events.isEmpty { try? await Task.sleep(for: Self.period) }
        return events
    }

    private func askServer() async {
        for list in ["devices", "group"] {
            let json = await self.list(list)
            self.state.withLock { $0.fromServer[list] = json }
        }
        self.state.withLock { $0.isAskingServer = false }
    }

    /// The rows that a subcommand prints as JSON, and its error message.
    private func list(_ name: String) async -> String {
        do {
            let newest = name == "journal" ? ["--last=100"] : []
            let ended = try await OwnCommand().run([name, "--json", "--profile", self.profile] + newest)
            let failure = ended.lines.last.flatMap(CommandFailure.init(line:))
            let trouble = failure?.reason ?? (ended.status == 0 ? "" : PersonSite.cause(ended.errors))
            let news = name == "group" ? self.news(ended.status == 0 ? PersonSite.words(ended.errors) : "") : ""
            let words = try [trouble, news].map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
            let rows = ended.lines.dropLast(failure == nil ? 0 : 1).joined(separator: ",")
            return #"{"rows":[\#(rows)],"trouble":\#(words[0]),"news":\#(words[1])}"#
        } catch {
            return #"{"rows":[],"trouble":"the subcommand cannot be started. Start whereabouts web again."}"#
        }
    }

    /// Adds news, and returns all of them.
    private func news(_ new: String) -> String {
        self.state.withLock { state in
            if !new.isEmpty { state.news = state.news.suffix(Self.newsMax - 1) + [new] }
            return state.news.joined(separator: " ")
        }
    }

    /// A hash of the names, sizes and dates of all files in the profile.
    private var stamp: Int {
        var hasher = Hasher()
        let files = FileManager.default.enumerator(atPath: self.profile)?.compactMap { $0 as? String } ?? []
        for file in files.sorted() {
            guard let attributes = try? FileManager.default.attributesOfItem(atPath: "\(self.profile)/\(file)") else {
                continue
            }
            hasher.combine(file)
            hasher.combine(attributes[.modificationDate] as? Date)
            hasher.combine(attributes[.size] as? Int)
        }
        return hasher.finalize()
    }
}

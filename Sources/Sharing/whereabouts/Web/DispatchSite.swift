internal import Foundation
internal import Synchronization
internal import WhereaboutsConsole
internal import WhereaboutsJSONReading
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// The page of a dispatcher: it shows each open incident, as `dispatch --follow --json` prints it, and can end or cancel it.
struct DispatchSite: ConsoleSite {
    private struct Order: Decodable {
        enum Verb: String, Decodable {
            case end, cancel
        }

        let verb: Verb
        /// The ID of an incident.
        let who: String
    }

    let page = ConsolePage("dispatch.html", scripts: ["dispatch-words.js", "dispatch.js"])
    let actions: Set<String> = ["order"]
    private let path: String
    private let incidents: FollowedIncidents

    init(profile: SharingProfile, path: String) {
        self.path = path
        self.incidents = FollowedIncidents(profile: profile, path: path)
    }

    /// Follows each open incident, also while no page is open: the volunteers are alerted only while a program runs.
    func followAll() async {
        while !Task.isCancelled {
            self.incidents.followNew()
            try? await Task.sleep(for: .milliseconds(500))
        }
    }

    func feed(_ query: String) -> any ConsoleFeed { DispatchFeed(self.incidents.inquiries) }

    func act(_ action: String, _ body: String) async throws -> String {
        guard let order = try? JSONReader().decode(Order.self, from: Data(body.utf8)), IncidentID(order.who) != nil
        else {
            throw SharingError(.badText, "this order is not available on the page. Use the command line.")
        }
        let option = order.verb == .end ? "--end" : "--false-alarm"
        let ended = try await OwnCommand().run(["dispatch", option, "--profile", self.path, "--", order.who])
        guard ended.status == 0 else { throw SharingError(.badText, PersonSite.cause(ended.errors)) }
        return "{}"
    }
}

/// The incidents that the page follows.
private final class FollowedIncidents: Sendable {
    let inquiries: RunningInquiries
    private let profile: SharingProfile
    private let begun = Mutex(Set<IncidentID>())

    init(profile: SharingProfile, path: String) {
        self.inquiries = RunningInquiries(profile: path)
        self.profile = profile
    }

    func followNew() {
        for id in self.profile.openIncidents().map(\.id).reversed() {
            self.begun.withLock { begun in
                // An incident beyond the maximum begins when another one ends.
                guard !begun.contains(id), (try? self.inquiries.begin(.dispatch, "\(id)", options: ["--follow"])) != nil
                else { return }
                begun.insert(id)
            }
        }
    }
}

/// The events for one open page: all incidents, after each change.
private final class DispatchFeed: ConsoleFeed {
    private let inquiries: RunningInquiries
    private let sent = Mutex<RunningInquiries.Versions?>(nil)

    init(_ inquiries: RunningInquiries) {
        self.inquiries = inquiries
    }

    func next() async -> [ConsoleEvent] {
        let versions = self.inquiries.versions
        let isNew = self.sent.withLock { sent in
            defer { sent = versions }
            return sent != versions
        }
        if isNew { return [ConsoleEvent("incidents", self.inquiries.json)] }
        try? await Task.sleep(for: .milliseconds(500))
        return []
    }
}

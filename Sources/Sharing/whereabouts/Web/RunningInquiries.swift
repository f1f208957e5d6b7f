internal import Foundation
internal import Synchronization
internal import WhereaboutsSharing

/// The requests, live shares and incidents that the page started, with their states.
final class RunningInquiries: Sendable {
    /// The subcommand that an inquiry runs.
    enum Kind: String {
        case ask, follow, dispatch
    }

    /// Counters of changes.
    struct Versions: Hashable {
        /// How often the state of an inquiry changed.
        fileprivate(set) var states = 0
        /// How many orders were carried out.
        fileprivate(set) var orders = 0
    }

    /// The maximum number of inquiries that run at a time.
    static let runningMax = 8
    /// The maximum number of ended inquiries to keep; the oldest is dropped.
    private static let endedMax = 8
    /// The maximum number of states of an inquiry to keep; the oldest is dropped.
    private static let statesMax = 500

    private struct Inquiry {
        let number: Int
        let who: String
        let kind: Kind
        let command: OwnCommand
        /// The JSON of each state.
        var states: [String] = []
        /// The command's error.
        var failure: String?
        /// The message of a failure, empty after success; nil while the inquiry runs.
        var end: String?
    }

    private struct State {
        var all: [Inquiry] = []
        var last = 0
        var versions = Versions()
    }

    private let profile: String
    private let state = Mutex(State())

    init(profile: String) {
        self.profile = profile
    }

    var versions: Versions { self.state.withLock { $0.versions } }

    /// Records that an order was carried out.
    func carriedOut() { self.state.withLock { $0.versions.orders += 1 } }

    /// Starts to ask or follow a person, or to follow an incident.
    ///
    /// - Parameters:
    ///   - kind: the subcommand.
    ///   - who: the person's name, or the incident's ID.
    ///   - options: further options of the subcommand.
    /// - Throws: ``SharingError`` when too many run.
    func begin(_ kind: Kind, _ who: String, options: [String] = []) throws {
        let command = OwnCommand()
        let number = try self.state.withLock { state throws(SharingError) -> Int in
            guard state.all.count(where: { $0.end == nil }) < Self.runningMax else {
                throw SharingError(.badText, "\(Self.runningMax) requests are running, the maximum. Stop one of them.")
            }
            state.last += 1
            state.versions.states += 1
            state.all.append(Inquiry(number: state.last, who: who, kind: kind, command: command))
            while state.all.count(where: { $0.end != nil }) > Self.endedMax,
                let oldest = state.all.firstIndex(where: { $0.end != nil })
            { state.all.remove(at: oldest) }
            return state.last
        }
        let arguments = [kind.rawValue, "--json", "--profile", self.profile] + options + ["--", who]
        Task {
            let ended = try? await command.run(arguments) { line in
                self.change(number) { inquiry in
                    if let failure = CommandFailure(line: line) { return inquiry.failure = failure.reason }
                    inquiry.states.append(line)
                    if inquiry.states.count > Self.statesMax { inquiry.states.removeFirst() }
                }
            }
            self.change(number) { inquiry in
                let failed = ended.map { inquiry.states.isEmpty && $0.status != 0 } ?? true
                inquiry.end = inquiry.failure ?? (failed ? PersonSite.cause(ended?.errors ?? "") : "")
            }
        }
    }

    /// Withdraws a request, or ends a live share.
    func stop(_ number: Int) {
        self.state.withLock { $0.all.first { $0.number == number }?.command }?.interrupt()
    }

    private func change(_ number: Int, _ change: (inout Inquiry) -> Void) {
        self.state.withLock { state in
            guard let index = state.all.firstIndex(where: { $0.number == number }) else { return }
            change(&state.all[index])
            state.versions.states += 1
        }
    }

    /// All inquiries as JSON, the newest first.
    var json: String {
        struct Shown: Encodable {
            let number: Int
            let who: String
            let kind: String
            let isRunning: Bool
            let failure: String
        }
        let all = self.state.withLock { $0.all }
        let encoder = JSONEncoder()
        let items = all.reversed().compactMap { inquiry -> String? in
            let shown = Shown(
                number: inquiry.number,
                who: inquiry.who,
                kind: inquiry.kind.rawValue,
                isRunning: inquiry.end == nil,
                failure: inquiry.end ?? ""
            )
            guard let head = try? encoder.encode(shown) else { return nil }
            let states = inquiry.states.joined(separator: ",")
            return #"{"request":\#(String(decoding: head, as: UTF8.self)),"states":[\#(states)]}"#
        }
        return "[\(items.joined(separator: ","))]"
    }
}

internal import ArgumentParser
internal import Foundation
internal import UnixSignals
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts ask`: asks once and prints the result.
struct AskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask",
        abstract: "Ask where someone is, once or on a schedule.",
        discussion: """
            Prints each state of the request with the milliseconds since the start, then the position. The last line of an answered \
            request is
              answered: <latitude>,<longitude> ±<metres> m, <seconds> s old, in <milliseconds> ms
            With --json each state is one object on its own line, with a `code` that stays the same when the words change. If nothing \
            was asked, the object has the state `error`. While the server cannot be reached, standard error says why.

            With --every and --until the server repeats the request, if the first answer is a position:
              whereabouts ask Alice --every 1h --until 7d

            Exit codes:
              0  answered
              3  refused, by the server or by the person
              4  too soon: the grant or the device allows the next request later
              5  unreachable: the device did not respond, or sharing is paused
              6  expired: after two minutes or --deadline, or you pressed ^C
              7  failed: the device or the server could not do it
              1  nothing was asked: a file cannot be used, or you have no such permission; 64: wrong command line
              74 the output cannot be written; 141 its reader is gone
            """
    )

    @OptionGroup var whom: FriendArgument
    @OptionGroup var profile: ProfileOption
    @Option(
        help: ArgumentHelp(
            "Requested precision [the grant's].",
            valueName: "full|reduced"
        ),
        transform: parsePrecision
    )
    var precision: Precision?
    @Option(
        help: ArgumentHelp("How long to wait [60s].", valueName: "duration"),
        transform: parseDuration
    )
    var deadline: Duration = .seconds(60)
    @OptionGroup(title: "Schedule") var schedule: ScheduleOption
    @Flag(help: "Print a link to a map. Opening it tells openstreetmap.org the position.")
    var map = false
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard self.deadline > .zero else { throw ValidationError("--deadline must be longer than 0s") }
        guard !self.map || !self.json else { throw ValidationError("--map prints a link; leave out --json") }
    }

    func run() async throws {
        let profile = try self.profile.open()
        let grant = try await self.whom.grant(in: profile)
        let repetition = try self.schedule.repetition(under: grant.value, now: .now)
        let requester = try Requester(profile: profile)
        let printer = RequestPrinter(isJSON: self.json)
        var last: RequestUpdate?
        let inquiry = requester.inquire(
            grant,
            precision: self.precision,
            repeating: repetition,
            deadline: self.deadline,
            explain: { printTrouble("ask: \($0)\nask: trying again") }
        )
        // Withdraw the request on a signal; otherwise the sharer could be prompted although the requester has left.
        let signals = Task {
            for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup) { inquiry.withdraw() }
        }
        defer { signals.cancel() }
        do {
            for await update in inquiry.updates {
                try printer.show(update)
                last = update
            }
        } catch {
            inquiry.withdraw()
            for await _ in inquiry.updates {}
            throw error
        }
        guard let last else { throw ExitCode(7) }
        try printer.end(last, map: self.map, now: .now)
        if let repetition, last.state.kind == .answered, !self.json {
            let every = "asked again every \(words(seconds: Int(repetition.everyMinutes) * 60))"
            try printLine("\(every); `whereabouts schedules` shows what comes, and ends it")
        }
        // The server can be reached: update the groups, because other members may wait for this one.
        if last.state.kind == .answered { await tendGroups(of: profile, fetches: false) }
        let status = Self.status(of: last.state.kind)
        if status != 0 { throw ExitCode(status) }
    }

    /// The exit status for a request's final state.
    static func status(of kind: RequestState.Kind) -> Int32 {
        switch kind {
        case .answered: 0
        case .refused: 3
        case .tooSoon: 4
        case .unreachable: 5
        case .expired: 6
        // A stream that ended early is a failure, too.
        case .failed, .accepted, .pushed, .woken, .locating, .asking: 7
        }
    }
}

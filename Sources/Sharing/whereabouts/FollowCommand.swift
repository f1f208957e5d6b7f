internal import ArgumentParser
internal import Foundation
internal import UnixSignals
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts follow`: asks once, and then shows each movement.
struct FollowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "follow",
        abstract: "Follow someone live for a while.",
        discussion: """
            The sharer must have allowed it (accept --follow), sees that you follow, and can end it; you end it with ^C. \
            Only you can read the positions. Updates that the server repeats, replaces or leaves out are reported. \
            With --json each event is one object \
            on its own line.

            --gpx writes a track file that is complete after each update. --to owntracks-http URL forwards each position as OwnTracks does, \
            for Recorder, Home Assistant, Dawarich and Traccar:
              whereabouts follow Alice --to owntracks-http https://recorder.example.org/pub
            If the receiver fails, standard error says so, and the command continues. Positions that it missed are not sent again; --gpx has them.

            Exit codes:
              0  the live share reached its end, or you ended it
              3  refused, or ended: by the sharer, by the end of the grant, or by the permission of their app
              4  too soon: the grant or the device allows the next request later
              5  unreachable: the device did not respond, or stopped responding
              6  expired: no answer came within two minutes, or --deadline
              7  failed: the device or the server could not do it
              1  nothing was asked: a file cannot be used, or you have no such permission; 64: wrong command line
              74 the output cannot be written; 141 its reader is gone
            """
    )

    @OptionGroup var whom: FriendArgument
    @OptionGroup var profile: ProfileOption
    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "How long, \(followDurationsInWords) (default: 1h, or less if the grant allows less).",
            valueName: "duration"
        ),
        transform: parseDuration
    )
    var duration: Duration?
    @Option(
        help: ArgumentHelp(
            "Requested precision (default: what the grant allows).",
            valueName: "full|reduced"
        ),
        transform: parsePrecision
    )
    var precision: Precision?
    @Option(
        help: ArgumentHelp("How long to wait for the first answer (default: 60s).", valueName: "duration"),
        transform: parseDuration
    )
    var deadline: Duration = .seconds(60)
    @Option(help: ArgumentHelp("Also write the track to this new file.", valueName: "file"))
    var gpx: String?
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp("Also forward each position: owntracks-http and a receiver's URL.", valueName: "kind url")
    )
    var to: [String] = []
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        guard self.deadline > .zero else { throw ValidationError("--deadline must be longer than 0s") }
        if let duration, !followDurations.contains(duration) {
            throw ValidationError("--for must be from \(followDurationsInWords)")
        }
        let kinds = stride(from: 0, to: self.to.count, by: 2).map { self.to[$0] }
        guard self.to.count.isMultiple(of: 2), kinds.allSatisfy({ $0 == "owntracks-http" }) else {
            throw ValidationError("--to needs a kind and a URL after the name, such as --to owntracks-http https://…")
        }
    }

    func run() async throws {
        let profile = try self.profile.open()
        let grant = try await self.whom.grant(in: profile)
        let asked = UInt16(((self.duration ?? .seconds(3600)) / .seconds(60)).rounded(.up))
        let allowed = grant.value.followMinutesMax ?? .max
        // The server's refusal would not say which duration is allowed.
        guard self.duration == nil || asked <= allowed else {
            throw SharingError(
                .badText,
                "the grant allows following for \(allowed) min: give --for \(allowed)m, or less"
            )
        }
        let minutes = min(asked, allowed)
        let name = profile.name(of: grant.value.sharer) ?? "friend"
        let urls = stride(from: 1, to: self.to.count, by: 2).map { self.to[$0] }
        let receivers = try urls.map { try OwnTracksReceiver(url: $0, name: name) }
        let track = try self.gpx.map { try GPXTrackFile(creating: $0, name: name) }
        let watch = try Requester(profile: profile).follow(
            grant,
            minutes: minutes,
            precision: self.precision,
            deadline: self.deadline,
            explain: { printTrouble("follow: \($0)") }
        )
        let signals = Task {
            for await _ in await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup) { watch.stop() }
        }
        defer { signals.cancel() }
        var (last, shownAt): (FollowUpdate?, WallTime?)
        do {
            let printer = FollowPrinter(isJSON: self.json)
            for await update in watch.updates {
                try printer.show(update)
                // The first update is often the same position as the answer.
                if let fix = update.fix, fix.time != shownAt {
                    try track?.append(fix)
                    for receiver in receivers { receiver.send(fix) }
                    shownAt = fix.time
                }
                last = update
            }
        } catch {
            watch.stop()
            // Before this process exits, wait until it has told the server that the live share ended.
            for await _ in watch.updates {}
            throw error
        }
        for receiver in receivers { await receiver.end() }
        let status = Self.status(of: last)
        if status != 0 { throw ExitCode(status) }
    }

    private static func status(of last: FollowUpdate?) -> Int32 {
        switch last {
        case .request(let update): AskCommand.status(of: update.state.kind)
        case .ended(.time, _), .ended(.byFollower, _): 0
        case .ended(.bySharer, _), .ended(.revoked, _), .ended(.paused, _): 3
        case .ended(.lost, _): 5
        // A stream that ended early is a failure, too.
        case .place, .silent, .disturbed, nil: 7
        }
    }
}

extension FollowUpdate {
    /// The position in the update, if there is one.
    var fix: SharedFix? {
        switch self {
        case .request(let update):
            if case .fix(let fix) = update.answer?.content { fix } else { nil }
        case .place(let place, _, _): place.fix
        case .silent, .disturbed, .ended: nil
        }
    }
}

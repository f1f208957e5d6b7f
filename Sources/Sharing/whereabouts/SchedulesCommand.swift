internal import ArgumentParser
internal import Foundation
internal import WhereaboutsSharing
internal import WhereaboutsVocabulary

/// `whereabouts schedules`: shows the schedules with their answers, and ends them.
struct SchedulesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedules",
        abstract: "List repeated requests, fetch their answers, and end them.",
        discussion: """
            whereabouts ask --every 1h --until 7d starts a schedule: the server repeats the request and keeps the encrypted answers for seven \
            days. Both people see the schedule and can end it:
              whereabouts schedules               lists your schedules, and those that ask you
              whereabouts schedules Alice         fetches the answers of your schedules to Alice; lists hers that ask you
              whereabouts schedules Alice --new   the same, without answers that were shown before
              whereabouts schedules Bob --end     ends the schedules with Bob, in both directions
            Requests that were skipped are listed with the reason: the device's push limit, the grant's hours or its interval. The list is \
            what this device knows. It learns that Alice ended your schedule from `whereabouts schedules Alice`. Schedules that ask you are listed on \
            the device that answers them. With --json each schedule and each answer is one object on its own line; a schedule comes after its \
            answers, and has a state: asks or ended.

            Exit codes:
              0  shown, or ended
              1  there is no such schedule; or the server was not reached with the end: run it again
            """
    )

    @Argument(help: ArgumentHelp("The other person, or the ID of the schedule.", valueName: "name|id"))
    var which: String?
    @OptionGroup var profile: ProfileOption
    @Flag(help: "Show only answers that were not shown before.")
    var new = false
    @Flag(help: "End it.")
    var end = false
    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        if self.end, self.json || self.new { throw ValidationError("--end prints lines; leave out --json and --new") }
        if self.which == nil, self.end || self.new {
            throw ValidationError("Name a person or a schedule together with --end or --new.")
        }
    }

    func run() async throws {
        let profile = try self.profile.open()
        let (own, others) = (
            self.chosen(profile.outgoingSchedules(), profile), self.chosen(profile.incomingSchedules(), profile)
        )
        if self.end { return try await self.end(own, others, profile) }
        guard self.which != nil else { return try self.list(own, others, profile) }
        guard !own.isEmpty || !others.isEmpty else { throw self.unknown }
        for schedule in others { try self.show(ScheduleRow(schedule, of: profile), profile) }
        let requester = try Requester(profile: profile)
        var unknown: SharingError?
        for schedule in own {
            let seen = self.new ? profile.seenOccurrence(of: schedule) : 0
            let told: ScheduleOccurrences
            do {
                told = try await Waiting.said { try await requester.occurrences(of: schedule, after: seen) }
            } catch let error as SharingError where error.code == .refused {
                // A schedule that never reached the server must not hide the others.
                unknown = SharingError(.refused, "\(schedule.request): \(error.message)")
                continue
            }
            try SchedulePrinter(isJSON: self.json).show(told, of: schedule, name: profile.name(of: schedule.sharer))
            // Record only occurrences with a final state, so that the others are shown again with their answers.
            let last = told.occurrences.last { $0.state.kind.isFinal }?.number
            if self.new, let last { try profile.sawOccurrences(of: schedule, through: last) }
            // Print the schedule after its occurrences, so that a schedule without occurrences is printed, too.
            if self.json { try printJSON(ScheduleRow(schedule, of: profile)) }
        }
        if let unknown { throw unknown }
    }

    /// Shows a schedule that asks this person: only the requester has its answers.
    private func show(_ row: ScheduleRow, _ profile: SharingProfile) throws {
        guard !self.json else { return try printJSON(row) }
        let name = row.name ?? row.safetyNumber
        try printLine(
            "\(name) asks you every \(words(seconds: Int(row.everyMinutes) * 60)) (\(row.precision)), since \(row.since.local) and until \(row.until.local); "
                + "`whereabouts schedules \(row.schedule) --end --profile \(ShellWord.path(self.profile.profile))` ends it"
        )
    }

    private func chosen(_ schedules: [SharedSchedule], _ profile: SharingProfile) -> [SharedSchedule] {
        guard let which = self.which else { return schedules }
        let own = profile.identity.publicIdentity
        return schedules.filter { schedule in
            let other = schedule.sharer == own ? schedule.requester : schedule.sharer
            return "\(schedule.request)" == which || profile.calls(other, which)
        }
    }

    private var unknown: SharingError {
        SharingError(
            .unknownName,
            "there is no schedule of '\(PlainText.of(self.which ?? ""))'; `whereabouts schedules` lists all"
        )
    }

    private func end(_ own: [SharedSchedule], _ others: [SharedSchedule], _ profile: SharingProfile) async throws {
        guard !own.isEmpty || !others.isEmpty else { throw self.unknown }
        for schedule in own {
            try await Waiting.said { try await Requester(profile: profile).end(schedule) }
            try printLine("\(profile.name(of: schedule.sharer) ?? schedule.sharer.safetyNumber) is no longer asked")
        }
        for schedule in others {
            let name = profile.name(of: schedule.requester) ?? schedule.requester.safetyNumber
            do {
                try await Waiting.said("this device no longer answers \(name)'s schedule; waiting for the server") {
                    try await Sharer(profile: profile).end(schedule)
                }
            } catch let error as SharingError where error.code == .network {
                throw SharingError(
                    .network,
                    "This device no longer answers \(name)'s schedule, but the server does not know yet. Run this again: \(error.message)"
                )
            }
            try printLine("\(name)'s schedule is ended. Their grant stays valid; `whereabouts revoke` ends it.")
        }
    }

    private func list(_ own: [SharedSchedule], _ others: [SharedSchedule], _ profile: SharingProfile) throws {
        let rows = own.map { ScheduleRow($0, of: profile) } + others.map { ScheduleRow($0, of: profile) }
        guard !self.json else { return try rows.forEach { try printJSON($0) } }
        guard !rows.isEmpty else {
            return try printLine(
                "There are no schedules on this device. Each of your devices lists its own."
            )
        }
        let titles = ["SCHEDULE", "ASKS", "NAME", "SAFETY NUMBER", "PRECISION", "EVERY", "SINCE", "UNTIL", "STATE"]
        for line in Table.lines(titles, rows.map(\.cells)) { try printLine(line) }
    }
}

private struct ScheduleRow: Encodable {
    enum State: String, Encodable {
        /// It continues.
        case asks
        /// The schedule expired, a side ended it, or the server no longer has it.
        case ended
    }

    let schedule: String
    /// Whether the person of this profile is asked; otherwise they ask.
    let asksYou: Bool
    let identity: String
    /// Absent for a person without a name.
    let name: String?
    let safetyNumber: String
    let precision: String
    let everyMinutes: UInt16
    let since: Moment
    let until: Moment
    /// The state that this profile knows: an end by the other side is reported together with the answers.
    let state: State
    /// Why the schedule ended; absent while it is active.
    let reason: String?
    /// The reason as a word for programs.
    let code: String?

    init(_ schedule: SharedSchedule, of profile: SharingProfile) {
        self.schedule = "\(schedule.request)"
        self.asksYou = schedule.sharer == profile.identity.publicIdentity
        let other = self.asksYou ? schedule.requester : schedule.sharer
        self.identity = other.text
        self.name = profile.name(of: other)
        self.safetyNumber = other.safetyNumber
        self.precision = "\(schedule.precision)"
        self.everyMinutes = schedule.repetition.everyMinutes
        (self.since, self.until) = (Moment(schedule.since), Moment(schedule.repetition.until))
        // Schedules that ask this person are no longer listed after their end.
        let end = self.asksYou ? nil : profile.ended(schedule)
        (self.state, self.reason, self.code) = (end == nil ? .asks : .ended, end?.words, end.map { "\($0)" })
    }

    var cells: [String] {
        [
            self.schedule, self.asksYou ? "you" : "them", self.name ?? "-", self.safetyNumber, self.precision,
            words(seconds: Int(self.everyMinutes) * 60), self.since.local, self.until.local, self.state.rawValue,
        ]
    }
}

internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Objects when a device answers a schedule that its person ended, or an occurrence at a wrong time; when a requester reads a wrong answer.
///
/// ``PrivacyAuditor`` checks that the grant is valid when an occurrence is answered, as for any request.
final class ScheduleAuditor {
    private unowned let world: Simulation
    /// The answers that devices gave; two devices may answer, if the person chooses another one meanwhile.
    private var sealed: [RequestID: [Answer.Content]] = [:]
    /// The schedules that a person ended on a device, by its profile.
    private var ended: [UInt64: Set<RequestID>] = [:]

    init(_ world: Simulation) {
        self.world = world
    }

    private func object(_ request: Request, _ what: String) {
        self.world.fail(
            "occurrence \(request.occurrence) of schedule \(self.world.number(of: request.firstID)) \(what)"
        )
    }

    /// An extension is about to seal the answer to an occurrence.
    func sealed(_ content: Answer.Content, in request: Request, by profile: Home) {
        guard request.occurrence > 0 else { return }
        self.sealed[request.id, default: []].append(content)
        guard case .fix = content else {
            self.world.census.add("an occurrence is refused")
            return
        }
        self.world.census.add("an occurrence is answered")
        if self.ended[profile.number]?.contains(request.firstID) == true {
            self.object(request, "was answered after the sharer had ended the schedule")
        }
        if request.beginning(ofOccurrence: request.occurrence) == nil {
            self.object(request, "was answered after the schedule's end")
        }
    }

    /// A person ended a schedule on their device.
    func ended(_ schedule: RequestID, by profile: Home) {
        self.world.census.add("a schedule is ended")
        self.ended[profile.number, default: []].insert(schedule)
    }

    /// A requester fetched the answer to an occurrence, and opened it.
    func opened(_ answer: Answer, to request: Request) {
        self.world.census.add("an occurrence is fetched")
        let isGiven = (self.sealed[request.id] ?? []).contains { given in
            switch (given, answer.content) {
            case (.fix(let made), .fix(let opened)):
                abs(made.latitude - opened.latitude) < 1e-6 && made.time == opened.time
            case (.refusal, .refusal), (.unavailable, .unavailable): true
            default: false
            }
        }
        if !isGiven { self.object(request, "has an answer that no device gave") }
    }
}

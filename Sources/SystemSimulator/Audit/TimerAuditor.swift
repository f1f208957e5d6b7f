internal import Sharing
internal import SharingEngine
internal import Vocabulary

/// Objects when a device answers a timer that its person ended, or a turn out of its time, and when a requester reads another answer than the device gave.
///
/// That a grant holds when a turn is answered is ``PrivacyAuditor``'s to see, as for any request.
final class TimerAuditor {
    private unowned let world: Simulation
    private var sealed: [RequestID: Answer.Content] = [:]
    private var ended: Set<RequestID> = []

    init(_ world: Simulation) {
        self.world = world
    }

    private func object(_ request: Request, _ what: String) {
        self.world.fail("turn \(request.turn) of timer \(self.world.number(of: request.firstID)) \(what)")
    }

    /// An extension is about to seal the answer to a turn.
    func sealed(_ content: Answer.Content, in request: Request) {
        guard request.turn > 0 else { return }
        self.sealed[request.id] = content
        guard case .fix = content else {
            self.world.census.add("a turn is refused")
            return
        }
        self.world.census.add("a turn is answered")
        if self.ended.contains(request.firstID) { self.object(request, "is answered after its person ended the timer") }
        if request.beginning(ofTurn: request.turn) == nil { self.object(request, "is answered after the timer's end") }
    }

    /// A person ended a timer on their device.
    func ended(_ timer: RequestID) {
        self.world.census.add("a timer is ended")
        self.ended.insert(timer)
    }

    /// A requester fetched the answer to a turn, and opened it.
    func opened(_ answer: Answer, to request: Request) {
        self.world.census.add("a turn is fetched")
        switch (self.sealed[request.id], answer.content) {
        case (.fix(let made)?, .fix(let opened)):
            guard abs(made.latitude - opened.latitude) < 1e-6, made.time == opened.time else {
                return self.object(request, "has another position than the device gave")
            }
        case (.refusal?, .refusal), (.unavailable?, .unavailable): break
        default: self.object(request, "has an answer that the device did not give")
        }
    }
}

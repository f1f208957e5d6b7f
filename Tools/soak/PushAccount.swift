/// The account of one device's pushes: the sent ones, the received ones, and the gateway's reports on the others.
///
/// It shares no code with the system under test. Each push has a unique number.
struct PushAccount: Sendable {
    /// The provider's result for one push.
    enum Answer: Sendable {
        case none
        /// The gateway accepted the push, under this ID.
        case accepted(apnsID: String?)
        /// It is unknown whether the gateway accepted the push: the connection ended first.
        case unknown
        /// The gateway did not accept the push.
        case refused
    }

    private struct Sent: Sendable {
        /// Whether the push expires within seconds.
        let isBrief: Bool
        let began: Int
        var ended: Int?
        var answer = Answer.none
        /// The gateway's report of the push's end, if it did not arrive.
        var word: String?
        var received = 0
        /// The life of the device in which the push arrived last.
        var life = 0

        /// The latest time at which the gateway may have stored the push; nil: it was not accepted.
        var kept: Int? {
            switch self.answer {
            case .accepted, .unknown: self.ended
            case .none, .refused: nil
            }
        }
    }

    /// The fate of the pushes of one device, or of several.
    struct Verdict: Sendable, Equatable {
        /// Pushes that the gateway accepted.
        var accepted = 0
        /// Accepted pushes that arrived, counted once.
        var delivered = 0
        /// Pushes that were delivered again after their device was killed.
        var again = 0
        /// Pushes that a later one replaced.
        var replaced = 0
        /// Pushes that expired before the device connected.
        var expired = 0
        /// Pushes whose replacement or expiry the gateway reported, too: a killed gateway loses these reports.
        var told = 0
        /// The numbers that came more than once.
        var repeated: [Int] = []
        /// The pushes that did not arrive, without an accepted reason.
        var lost: [Int] = []

        static func += (sum: inout Verdict, other: Verdict) {
            sum.accepted += other.accepted
            sum.delivered += other.delivered
            sum.again += other.again
            sum.replaced += other.replaced
            sum.expired += other.expired
            sum.told += other.told
            sum.repeated += other.repeated
            sum.lost += other.lost
        }
    }

    private var sent: [Int: Sent] = [:]
    private var events = 0
    private var life = 0
    private var repeated: [Int] = []
    private var again = 0

    /// Records that a provider began to send a push.
    mutating func began(_ number: Int, isBrief: Bool) {
        self.sent[number] = Sent(isBrief: isBrief, began: self.nextEvent())
    }

    /// Records the end of sending a push.
    mutating func ended(_ number: Int, _ answer: Answer) {
        let event = self.nextEvent()
        self.sent[number]?.ended = event
        self.sent[number]?.answer = answer
    }

    /// Records that the device's apps received a push.
    mutating func received(_ number: Int) {
        guard let push = self.sent[number] else { return }
        if push.received > 0 {
            if push.life == self.life { self.repeated.append(number) } else { self.again += 1 }
        }
        self.sent[number]?.received += 1
        self.sent[number]?.life = self.life
    }

    /// Records that the device was killed: an uncompleted push arrives again.
    mutating func died() { self.life += 1 }

    /// Records the gateway's report of a push's end.
    mutating func said(_ word: String?, of number: Int) {
        guard let word else { return }
        self.sent[number]?.word = word
    }

    /// The accepted pushes that did not arrive and have no report, with the gateway's IDs.
    var unexplained: [(number: Int, apnsID: String)] {
        self.sent.compactMap { number, push in
            guard push.received == 0, push.word == nil, case .accepted(let id?) = push.answer else { return nil }
            return (number, id)
        }
    }

    /// Whether no more pushes are expected.
    var isSettled: Bool { self.verdict.lost.isEmpty }

    /// The fate of all pushes.
    var verdict: Verdict {
        var verdict = Verdict(again: self.again, repeated: self.repeated)
        // The last two times at which a push may have been stored: a later push replaces an earlier one, and none replaces itself.
        let moments = self.sent.values.compactMap(\.kept).sorted().suffix(2)
        for (number, push) in self.sent {
            guard case .accepted = push.answer else { continue }
            verdict.accepted += 1
            if push.received > 0 {
                verdict.delivered += 1
                continue
            }
            switch push.word {
            case "replaced": verdict.replaced += 1
            case "expired", "undeliverable", "unanswered": verdict.expired += 1
            // Any other report means that the gateway delivered the push.
            case .some:
                verdict.lost.append(number)
                continue
            // There is no report if the gateway was killed or the push still waits: then the rules decide what became
            // of the push.
            case nil where push.isBrief: verdict.expired += 1
            // A push that was under way at the same time may have been accepted later, although its answer arrived sooner.
            case nil where moments.contains(where: { $0 > push.began && $0 != push.kept }): verdict.replaced += 1
            case nil:
                verdict.lost.append(number)
                continue
            }
            if push.word != nil { verdict.told += 1 }
        }
        verdict.lost.sort()
        return verdict
    }

    private mutating func nextEvent() -> Int {
        self.events += 1
        return self.events
    }
}

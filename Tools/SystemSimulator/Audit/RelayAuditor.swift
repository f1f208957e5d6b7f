internal import OrderedCollections
internal import WhereaboutsAPNS
internal import WhereaboutsPushEngine
internal import WhereaboutsVocabulary

/// Keeps its own accounts of a relay's senders, and objects when the relay's accounts differ; when a push leaves uncounted or
/// unsealed; and when the relay forwards for a sender beyond its limits, or refuses one within them.
final class RelayAuditor {
    /// A sender's day.
    private struct Page: Hashable {
        var sender: Sender.Name
        var day: AccountDay
    }

    /// The counts of a page.
    private struct Books: Equatable {
        var sent = 0
        var accepted = 0
        var rejected: OrderedDictionary<Reason, Int> = [:]

        init(_ account: SenderAccount = SenderAccount()) {
            self.sent = account.sent
            self.accepted = account.accepted
            for (reason, count) in account.rejected { self.rejected[reason] = count }
        }

        mutating func ended(_ end: RelayEnd) {
            switch end {
            case .accepted: self.accepted += 1
            case .rejected(let reason, _): self.rejected[reason, default: 0] += 1
            case .unsent: self.sent -= 1
            case .unanswered: break
            }
        }

        static func == (one: Books, other: Books) -> Bool {
            one.sent == other.sent && one.accepted == other.accepted
                && Reason.allCases.allSatisfy { one.rejected[$0] == other.rejected[$0] }
        }
    }

    /// A sender's mistakes and waits, in this life of the relay.
    private struct Conduct {
        var mistakes: [Bool] = []
        var waitsUntil: Instant?
        /// Whether an earlier life stored the wait; the relay reads it by its wall clock, once the sender sends a push.
        var isRecalled = false
        /// The outcomes whose writes failed, but may still be on the relay's disk.
        var vague = 0
    }

    /// The rules of ADR 0076.
    private static let (atOnceMax, endsRemembered, mistakesMax) = (100, 100, 50)
    private static let wait = Duration.seconds(3600)
    /// The time around the end of a wait in which both decisions are right.
    private static let edge = Duration.seconds(1)

    private unowned let world: Simulation
    private var books: OrderedDictionary<Page, Books> = [:]
    /// The number of pushes that left and reached Apple.
    private var left: OrderedDictionary<Page, Int> = [:]
    private var flights: OrderedDictionary<PushID, Page> = [:]
    private var conducts: OrderedDictionary<Sender.Name, Conduct> = [:]
    /// The pushes that Apple replied to, and those of them that it acted on.
    private var came: Set<PushID> = []
    private var acted: Set<PushID> = []
    /// The change that is being written, in case the relay dies during the write.
    private var doing: (page: Page, end: RelayEnd?)?
    private let server = Sender.Name(teamID: ServerNode.team, keyID: "KEY")

    init(_ world: Simulation) {
        self.world = world
    }

    private func object(_ sender: Sender.Name, _ what: String) {
        self.world.fail("the relay \(what) (sender \(sender.teamID))")
    }

    /// Whether the relay may refuse the server's pushes soon, because of one of the relay's limits.
    var mayRefuseServer: Bool {
        guard let plan = self.world.scenario.relay else { return false }
        let page = Page(sender: self.server, day: AccountDay(self.world.relay.wall))
        let conduct = self.conducts[self.server] ?? Conduct()
        return (self.books[page]?.sent ?? 0) + Self.atOnceMax > plan.pushesADay
            || (conduct.waitsUntil.map { self.world.now < $0 } ?? false)
            || conduct.mistakes.count(where: \.self) + conduct.vague > Self.mistakesMax / 2
    }

    // MARK: Pushes on their way

    /// A push reached the relay, whose operator can read it.
    func saw(_ push: ValidPush, from sender: Sender.Name) {
        guard sender == self.server else { return }
        guard SealedPayload.isSealed(push.payload), push.collapseID == nil else {
            return self.object(sender, "received a push that is not sealed")
        }
        self.world.auditors.privacy.passed(push.payload)
        self.world.census.add("a sealed push comes to the relay")
    }

    /// A push leaves for Apple; a push without an ID comes from a lying relay, which does not count it.
    func leaves(_ payload: [UInt8], as id: PushID?, _ relay: RelayNode) {
        guard SealedPayload.isSealed(payload) else {
            return self.world.fail("the relay sent a push that is not sealed")
        }
        guard let id else { return }
        guard let page = self.flights[id] else {
            return self.world.fail("the relay sent a push that its engine had not decided to send")
        }
        self.left[page, default: 0] += 1
        let counted = Self.account(page, relay.contents).sent
        if counted < self.left[page] ?? 0 {
            self.object(page.sender, "sent \(self.left[page] ?? 0) pushes but counted only \(counted)")
        }
    }

    /// The gateway in Apple's place accepted the provider token of a push.
    func came(_ id: PushID) {
        self.came.insert(id)
        self.acted.insert(id)
    }

    /// The gateway refused a push for its provider token or its form, and did not act on it.
    func refused(_ id: PushID) {
        self.came.insert(id)
        self.acted.remove(id)
    }

    /// The relay received the outcome of a push.
    func told(_ id: PushID, _ end: RelayEnd) {
        switch end {
        case .accepted, .rejected:
            if !self.came.contains(id) {
                self.world.fail("the relay recorded Apple's answer to a push that never reached Apple")
            }
        case .unsent:
            if self.acted.contains(id) {
                self.world.fail("the relay recorded a push as unsent, but it reached Apple")
            }
        case .unanswered: break
        }
    }

    // MARK: The engine

    func will(_ input: Gateway.Input) {
        switch input {
        case .pushReceived(_, let sender?, _):
            self.doing = (Page(sender: sender.name, day: AccountDay(self.world.relay.wall)), nil)
        case .relayEnded(let id, let end): self.doing = self.flights[id].map { ($0, end) }
        default: self.doing = nil
        }
    }

    func did(_ input: Gateway.Input, _ outputs: [Gateway.Output], _ relay: RelayNode) {
        let doing = self.doing
        self.doing = nil
        switch input {
        case .pushReceived(let push, let sender?, _): self.decided(push, sender, outputs, relay)
        case .relayEnded(let id, let end): self.ended(id, end, outputs)
        default: break
        }
        guard let page = doing?.page else { return }
        let (own, its) = (self.books[page] ?? Books(), Books(Self.account(page, relay.contents)))
        if own != its { self.object(page.sender, "counted \(its); expected \(own)") }
        let underWay = self.flights.values.count { $0 == page }
        if its.sent < its.accepted + its.rejected.values.reduce(0, +) + underWay {
            self.object(page.sender, "counted fewer pushes than it sent: \(its), \(underWay) in flight")
        }
    }

    private func decided(_ push: ValidPush, _ sender: Sender, _ outputs: [Gateway.Output], _ relay: RelayNode) {
        let page = Page(sender: sender.name, day: AccountDay(relay.wall))
        let limit = self.limit(sender, page)
        for output in outputs {
            switch output {
            case .relay(_, let id, _):
                if let limit, limit != .vague {
                    self.object(sender.name, "sent a push beyond a limit (\(limit.rawValue))")
                }
                self.flights[id] = page
                self.books[page, default: Books()].sent += 1
                self.world.census.add("a push is relayed")
            case .relayNote(.refused(let refusal)):
                self.world.census.add("relay refuses: \(refusal.rawValue)")
                switch refusal {
                case .dayIsFull, .tooManyAtOnce, .mistakes:
                    if limit == nil {
                        self.object(sender.name, "refused a push that no limit forbids (\(refusal.rawValue))")
                    }
                case .notSealed, .named, .notRelayed, .noSender: break
                }
            default: break
            }
        }
    }

    private func ended(_ id: PushID, _ end: RelayEnd, _ outputs: [Gateway.Output]) {
        guard let page = self.flights.removeValue(forKey: id) else {
            if !outputs.isEmpty { self.world.fail("the relay answered a push twice") }
            return
        }
        let answers = outputs.count { if case .answer = $0 { true } else { false } }
        if answers != 1 { self.object(page.sender, "answered a push \(answers) times") }
        if case .unsent = end { self.left[page, default: 0] -= 1 }
        guard outputs.contains(.relayNote(.ended(end))) else {
            self.world.census.add("the outcome of a relayed push is not counted")
            self.conducts[page.sender, default: Conduct()].vague += 1
            return
        }
        self.world.census.add("a relayed push ends \(end.historyEnd.rawValue)")
        self.books[page, default: Books()].ended(end)
        if case .unsent = end { return }
        self.behaved(page.sender, isMistake: end.rejectionReason == .badDeviceToken)
    }

    private func behaved(_ sender: Sender.Name, isMistake: Bool) {
        var conduct = self.conducts[sender] ?? Conduct()
        defer { self.conducts[sender] = conduct }
        if let until = conduct.waitsUntil {
            if self.world.now < until { return }
            conduct.waitsUntil = nil
            conduct.isRecalled = false
            conduct.mistakes = []
        }
        conduct.mistakes = conduct.mistakes.suffix(Self.endsRemembered - 1) + [isMistake]
        guard conduct.mistakes.count(where: \.self) >= Self.mistakesMax else { return }
        conduct.waitsUntil = self.world.now.advanced(by: Self.wait)
        conduct.mistakes = []
        self.world.census.add("a sender must wait")
    }

    /// The limits of a sender.
    private enum Limit: String {
        case day
        case atOnce
        case wait
        case vague
    }

    /// The limit that a sender has reached; nil: none.
    private func limit(_ sender: Sender, _ page: Page) -> Limit? {
        if self.books[page]?.sent ?? 0 >= sender.pushesADay { return .day }
        if self.flights.values.count(where: { $0.sender == sender.name }) >= Self.atOnceMax { return .atOnce }
        guard let conduct = self.conducts[sender.name] else { return nil }
        if conduct.vague > 0, conduct.mistakes.count(where: \.self) + conduct.vague >= Self.mistakesMax {
            return .vague
        }
        guard let until = conduct.waitsUntil else { return nil }
        if conduct.isRecalled, self.world.hadWrongClock(.relay) { return .vague }
        if self.world.now.advanced(by: Self.edge) < until { return .wait }
        return until.advanced(by: Self.edge) < self.world.now ? nil : .vague
    }

    // MARK: Lives

    /// The relay restarts; the accounts on disk must equal the auditor's, with or without the change that was being written.
    func started(_ relay: RelayNode) {
        let kept = relay.contents.accounts.map { Page(sender: $0.sender, day: $0.day) }
        for page in OrderedSet(Array(self.books.keys) + kept) {
            let (own, its) = (self.books[page] ?? Books(), Books(Self.account(page, relay.contents)))
            var other = own
            if let doing, doing.page == page {
                if let end = doing.end { other.ended(end) } else { other.sent += 1 }
            }
            if its != own, its != other {
                self.object(page.sender, "restarted with the account \(its); expected \(own)")
            }
            if its.sent > own.sent { self.world.census.add("a push is counted but not sent") }
            self.books[page] = its
            self.left[page] = its.sent
        }
        self.doing = nil
        self.flights = [:]
        for sender in OrderedSet(Array(self.conducts.keys) + Array(relay.contents.waits.keys)) {
            self.recall(sender, relay)
        }
    }

    private func recall(_ sender: Sender.Name, _ relay: RelayNode) {
        let conduct = self.conducts[sender] ?? Conduct()
        let end = relay.contents.waits[sender].flatMap { $0 > relay.wall ? $0 : nil }
        if let until = conduct.waitsUntil, self.world.now.advanced(by: Self.edge) < until, end == nil,
            !self.world.hadWrongClock(.relay), conduct.vague == 0
        {
            self.object(sender, "forgot during a restart that a sender must wait")
        }
        let rest = end.map { min(relay.wall.duration(to: $0), Self.wait) }
        self.conducts[sender] = Conduct(
            waitsUntil: rest.map { self.world.now.advanced(by: $0) },
            isRecalled: rest != nil
        )
        if rest != nil { self.world.census.add("a sender's wait survives a restart") }
    }

    /// The relay's disk was rolled back: from now on, the accounts on it count.
    func rolledBack(_ relay: RelayNode) {
        self.doing = nil
        self.books = [:]
        self.conducts = [:]
        self.flights = [:]
        for day in relay.contents.accounts {
            let page = Page(sender: day.sender, day: day.day)
            self.books[page] = Books(day.account)
        }
        self.left = self.books.mapValues(\.sent)
    }

    private static func account(_ page: Page, _ contents: ModelPushContents) -> SenderAccount {
        contents.accounts.first { $0.sender == page.sender && $0.day == page.day }?.account ?? SenderAccount()
    }
}

extension RelayEnd {
    /// Apple's reason.
    fileprivate var rejectionReason: Reason? { if case .rejected(let reason, _) = self { reason } else { nil } }
}

internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

@Suite struct LedgerTests {
    private static let client = ClientID(1)
    private static let end = EngineInstant(sinceStart: .seconds(100_000))

    private static func at(_ seconds: Int) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    private static let claims: [Claim] = [
        .session(.none), .session(.whenInUse), .session(.always), .stream(.live(.default)),
        .stream(.standard(StandardOptions())), .stream(.once(desiredAccuracy: 0)), .backgroundSession,
        .liveActivity(title: "Run"),
    ]

    /// Every state, reached by public calls.
    enum Start: CaseIterable {
        case none, inEffect, waiting, outstanding, retakable

        func ledger(_ claim: Claim) -> Ledger {
            var ledger = Ledger()
            switch self {
            case .none: break
            case .inEffect: ledger.hold(claim, mayBegin: true)
            case .waiting: ledger.hold(claim, mayBegin: false)
            case .outstanding:
                ledger.hold(claim, mayBegin: true)
                ledger.clientVanished(LedgerTests.client)
            case .retakable:
                ledger = Start.outstanding.ledger(claim)
                ledger.appLaunched(window: .seconds(5), now: LedgerTests.at(10))
            }
            return ledger
        }
    }

    @Test(arguments: Start.allCases, Self.claims)
    func whatCountsSurvivesTheProcess(_ start: Start, _ claim: Claim) {
        let begins = Start.waiting.ledger(claim).inEffect == [claim]
        let expected =
            switch start {
            case .none: false
            case .waiting: begins
            case .inEffect, .outstanding, .retakable: true
            }
        var ledger = start.ledger(claim)
        #expect(ledger.inEffect == (expected ? [claim] : []))
        ledger.clientVanished(Self.client)
        #expect(ledger.inEffect == (expected ? [claim] : []))
    }

    /// Both in one declaration: the other one is removed, and this one is unchanged.
    @Test(arguments: [Start.inEffect, .waiting], Self.claims)
    func whatTakesThePlaceOfAnotherGoesOnWithIt(_ start: Start, _ claim: Claim) {
        var ledger = start.ledger(claim)
        let counted = ledger.inEffect
        ledger.declared(Self.client, [(9, claim)], activityEnd: Self.end) { _ in false }
        #expect(ledger.inEffect == counted && ledger.entries.count == 1)
        ledger.declared(Self.client, [], activityEnd: Self.end) { _ in false }
        #expect(ledger.entries.isEmpty)
    }

    @Test(arguments: Start.allCases, Self.claims)
    func aNewProcessGoesOnWithWhatWasLeft(_ start: Start, _ claim: Claim) {
        var ledger = start.ledger(claim)
        ledger.clientVanished(Self.client)
        let wasLeft = !ledger.left.isEmpty
        ledger.appLaunched(window: .seconds(5), now: Self.at(20))
        ledger.declared(ClientID(2), [(9, claim)], activityEnd: Self.end) { _ in false }
        if wasLeft { #expect(!ledger.isWaiting(ClientID(2), id: 9)) }
        #expect(ledger.entries.count == 1)
        #expect(ledger.deadlineReached(now: Self.at(25)) == .ignore)
    }

    @Test(arguments: Start.allCases, Self.claims)
    func whatIsDeclaredNoMoreIsOver(_ start: Start, _ claim: Claim) {
        var ledger = start.ledger(claim)
        ledger.declared(Self.client, [], activityEnd: Self.end) { _ in true }
        let isLeft = start == .outstanding || start == .retakable
        #expect(ledger.inEffect == (isLeft ? [claim] : []))
    }

    @Test(arguments: Self.claims)
    func whatIsNotRetakenInTimeIsDroppedButForActivities(_ claim: Claim) {
        var ledger = Start.retakable.ledger(claim)
        #expect(ledger.deadlineReached(now: Self.at(14)) == .ignore)
        #expect(ledger.deadlineReached(now: Self.at(15)) == (claim.isLiveActivity ? .ignore : .dropped(1)))
    }

    /// Goal: an app that ends before it retook its sessions has not given them up, however often it is launched.
    @Test(arguments: Self.claims)
    func claimsOutliveAProcessThatEndsBeforeItRetookThem(_ claim: Claim) {
        var ledger = Start.retakable.ledger(claim)
        ledger.appEnded()
        #expect(ledger.deadlineReached(now: Self.at(3600)) == .ignore)
        #expect(ledger.inEffect == [claim])
        // The next process gets the full time.
        ledger.appLaunched(window: .seconds(5), now: Self.at(3600))
        #expect(ledger.deadlineReached(now: Self.at(3604)) == .ignore)
        #expect(ledger.deadlineReached(now: Self.at(3605)) == (claim.isLiveActivity ? .ignore : .dropped(1)))
    }

    /// A live activity ends with its time, not because of a launch.
    @Test func anActivityThatEndsWithItsTimeIsNotDropped() {
        var ledger = Start.outstanding.ledger(.liveActivity(title: "Run"))
        #expect(ledger.deadlineReached(now: Self.end) == .ignore)
        #expect(ledger.entries.isEmpty)
    }

    @Test func aSessionForAlwaysThatIsDroppedIsLostUntilOneCounts() {
        var ledger = Start.retakable.ledger(.session(.always))
        #expect(!ledger.hasLostAlways)
        _ = ledger.deadlineReached(now: Self.at(15))
        #expect(ledger.hasLostAlways)
        // In the background it waits, and is still lost.
        ledger.declared(ClientID(2), [(1, .session(.always))], activityEnd: Self.end) { _ in false }
        #expect(ledger.hasLostAlways && ledger.holdsAlways)
        ledger.conditionsChanged { _ in true }
        #expect(!ledger.hasLostAlways)
    }

    @Test(arguments: [Start.inEffect, .waiting]) func aSessionForAlwaysThatIsGivenUpIsNotLost(_ start: Start) {
        var ledger = start.ledger(.session(.always))
        ledger.declared(Self.client, [], activityEnd: Self.end) { _ in false }
        #expect(!ledger.hasLostAlways)
    }

    @Test func givingUpAWaitingSessionForAlwaysEndsTheLoss() {
        var ledger = Start.retakable.ledger(.session(.always))
        _ = ledger.deadlineReached(now: Self.at(15))
        ledger.declared(ClientID(2), [(1, .session(.always))], activityEnd: Self.end) { _ in false }
        ledger.declared(ClientID(2), [], activityEnd: Self.end) { _ in false }
        #expect(!ledger.hasLostAlways)
    }

    @Test func deathIsNotInvalidation() {
        // Releases that arrive after the connection broke are not received; ADR 0009.
        var ledger = Start.inEffect.ledger(.session(.always))
        ledger.clientVanished(Self.client)
        ledger.declared(Self.client, [], activityEnd: Self.end) { _ in true }
        #expect(ledger.hasAlways)
    }

    @Test func aSessionMayBeginWhileAStrongerOneIsInEffect() {
        for (held, wanted, begins) in [
            (Declaration.Session.Requirement.always, Declaration.Session.Requirement.always, true),
            (.always, .whenInUse, true), (.whenInUse, .always, false), (.none, .whenInUse, false),
        ] {
            var ledger = Start.outstanding.ledger(.session(held))
            ledger.declared(ClientID(2), [(1, .session(held)), (2, .session(wanted))], activityEnd: Self.end) { _ in
                false
            }
            #expect(ledger.isWaiting(ClientID(2), id: 2) != begins)
        }
    }

    @Test func whatWaitsBeginsWhenItMay() {
        var ledger = Start.waiting.ledger(.backgroundSession)
        ledger.conditionsChanged { _ in false }
        #expect(!ledger.hasBackgroundSession)
        ledger.conditionsChanged { _ in true }
        #expect(ledger.hasBackgroundSession)
    }

    @Test func whatAnExtensionLeavesIsTheAppsOnce() {
        var ledger = Ledger()
        let isNew = ledger.inherited(.stream(.live(.default)))
        #expect(isNew)
        let isNewAgain = ledger.inherited(.stream(.live(.fitness)))
        #expect(!isNewAgain)
        #expect(ledger.leftStreams == [.live(.default)])
    }
}

extension Ledger {
    fileprivate mutating func hold(_ claim: Claim, mayBegin: Bool) {
        let end = EngineInstant(sinceStart: .seconds(100_000))
        self.declared(ClientID(1), [(1, claim)], activityEnd: end) { _ in mayBegin }
    }
}

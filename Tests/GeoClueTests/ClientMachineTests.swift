internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsGeoClue

/// Tests for one client from `Start` to `Stop`: each call is answered once, and `Active` is true while updates arrive.
@Suite struct ClientMachineTests {
    private let here = Position(latitude: 53, longitude: 10, accuracy: 5, time: 1)
    private let there = Position(latitude: 54, longitude: 10, accuracy: 5, time: 2)
    private let wishes = Wishes()
    private let call = CallID(1)

    private func at(_ seconds: Double) -> EngineInstant {
        EngineInstant(sinceStart: .milliseconds(Int64(seconds * 1000)))
    }

    /// A machine that was started and has its connection.
    private func started(_ permission: Permission) -> (ClientMachine, [ClientMachine.Action]) {
        var machine = ClientMachine()
        #expect(machine.started(self.call, self.wishes, now: self.at(0)) == [.connect])
        let actions = machine.permissionChanged(permission, self.wishes, now: self.at(0))
        return (machine, actions)
    }

    @Test func whoMayKnowIsServed() {
        let (started, actions) = self.started(.granted)
        var machine = started
        #expect(actions == [.declare, .answer(self.call, nil), .activeChanged] && machine.isActive)
        #expect(machine.positionReceived(self.here, self.wishes, now: self.at(1)) == [.tell(self.here)])
        #expect(machine.started(CallID(2), self.wishes, now: self.at(2)) == [.answer(CallID(2), nil)])
        #expect(machine.stopped() == [.disconnect, .activeChanged] && !machine.isActive)
        #expect(machine.positionReceived(self.there, self.wishes, now: self.at(3)) == [])
        #expect(machine.deadline == nil)
    }

    @Test(arguments: [Permission.denied, .off]) func whoMayNotIsRefusedAtOnce(_ permission: Permission) {
        let (machine, actions) = self.started(permission)
        guard case .answer(self.call, let refusal?) = actions.first else {
            Issue.record("\(actions)")
            return
        }
        #expect(refusal.name == "org.freedesktop.DBus.Error.AccessDenied" && actions.dropFirst() == [.disconnect])
        #expect(!machine.isStarted && machine.deadline == nil)
    }

    @Test func aPersonIsAskedAndTheirAnswerIsTheCalls() {
        var (machine, actions) = self.started(.undecided)
        #expect(actions == [.ask] && !machine.isActive)
        actions = machine.permissionChanged(.granted, self.wishes, now: self.at(3))
        #expect(actions == [.declare, .answer(self.call, nil), .activeChanged])
    }

    /// Goal: a person may take longer to answer than a library's timeout.
    ///
    /// The program gets an error, and the answer is kept.
    @Test func anAnswerThatComesLateIsForTheNextCall() {
        var (machine, _) = self.started(.undecided)
        #expect(machine.deadline == self.at(20))
        #expect(machine.deadlineReached(now: self.at(20)) == [.answer(self.call, .notAnswered)])
        #expect(machine.permissionChanged(.granted, self.wishes, now: self.at(40)) == [] && !machine.isActive)
        let actions = machine.started(CallID(2), self.wishes, now: self.at(41))
        #expect(actions == [.declare, .answer(CallID(2), nil), .activeChanged] && machine.isActive)
    }

    @Test func aQuestionThatNobodyAnswersIsTakenBack() {
        var (machine, _) = self.started(.undecided)
        _ = machine.deadlineReached(now: self.at(20))
        #expect(machine.deadline == self.at(320))
        #expect(machine.deadlineReached(now: self.at(319)) == [])
        #expect(machine.deadlineReached(now: self.at(320)) == [.disconnect] && !machine.isStarted)
    }

    @Test func aSecondCallTakesThePlaceOfTheFirst() {
        var (machine, _) = self.started(.undecided)
        let actions = machine.started(CallID(2), self.wishes, now: self.at(1))
        #expect(actions == [.answer(self.call, .unavailable("Start was called again"))])
        #expect(machine.permissionChanged(.granted, self.wishes, now: self.at(2)).contains(.answer(CallID(2), nil)))
    }

    @Test func whoIsRefusedLaterIsToldNothingMoreAndServedAgainWhenAllowed() {
        var (machine, _) = self.started(.granted)
        #expect(machine.permissionChanged(.denied, self.wishes, now: self.at(1)) == [.activeChanged, .forget])
        #expect(!machine.isActive && machine.positionReceived(self.here, self.wishes, now: self.at(2)) == [])
        #expect(machine.permissionChanged(.granted, self.wishes, now: self.at(3)) == [.declare, .activeChanged])
        #expect(machine.isActive)
    }

    @Test func aLocationdThatIsAwayIsAnErrorAndIsTriedAgain() {
        var machine = ClientMachine()
        _ = machine.started(self.call, self.wishes, now: self.at(0))
        #expect(machine.lost("no locationd", now: self.at(0)) == [] && machine.deadline == self.at(0.25))
        #expect(machine.deadlineReached(now: self.at(0.25)) == [.connect])
        #expect(machine.lost("no locationd", now: self.at(0.25)) == [] && machine.deadline == self.at(0.75))
        let actions = machine.deadlineReached(now: self.at(20))
        #expect(actions == [.answer(self.call, .unavailable("no locationd")), .disconnect] && !machine.isStarted)
    }

    /// Goal: a restart of locationd ends no program.
    ///
    /// A longer absence is reported to it.
    @Test func aLocationdThatComesBackServesOn() {
        var (machine, _) = self.started(.granted)
        #expect(machine.lost("ended", now: self.at(1)) == [] && machine.isActive)
        #expect(machine.deadlineReached(now: self.at(2)) == [.reconnect])
        #expect(machine.permissionChanged(.granted, self.wishes, now: self.at(2)) == [.declare] && machine.isActive)
        // The back-off starts again after a successful connection.
        #expect(machine.lost("ended", now: self.at(3)) == [] && machine.deadline == self.at(3.25))
        #expect(machine.deadlineReached(now: self.at(62)) == [.reconnect] && machine.isActive)
        #expect(machine.deadlineReached(now: self.at(63)) == [.activeChanged] && !machine.isActive)
        #expect(machine.permissionChanged(.granted, self.wishes, now: self.at(70)) == [.declare, .activeChanged])
        #expect(machine.isActive)
    }

    @Test func aLocationdThatComesBackWithARefusalEndsIt() {
        var (machine, _) = self.started(.granted)
        _ = machine.lost("ended", now: self.at(1))
        _ = machine.deadlineReached(now: self.at(2))
        #expect(machine.permissionChanged(.off, self.wishes, now: self.at(2)) == [.activeChanged, .forget])
    }

    /// Goal: an app that was removed while its program runs is installed again only when the program asks again.
    @Test func anAppThatWasRemovedIsNotMadeAgain() {
        var (machine, _) = self.started(.granted)
        _ = machine.lost("removed", now: self.at(1))
        #expect(machine.deadlineReached(now: self.at(2)) == [.reconnect])
        #expect(machine.refused("no such app", now: self.at(2)) == [.disconnect, .activeChanged, .forget])
        #expect(!machine.isStarted && machine.deadline == nil)
        #expect(machine.started(CallID(2), self.wishes, now: self.at(3)) == [.connect])
        // The app was installed before; this is its next question.
        #expect(machine.refused("no such app", now: self.at(3)) == [] && machine.deadline == self.at(3.5))
        #expect(machine.deadlineReached(now: self.at(4)) == [.connect])
    }

    @Test func whoAsksAfterARemovalIsAskedAboutAgain() {
        var (machine, _) = self.started(.undecided)
        _ = machine.deadlineReached(now: self.at(20))
        _ = machine.lost("removed", now: self.at(21))
        #expect(machine.started(CallID(2), self.wishes, now: self.at(21)) == [])
        #expect(machine.deadlineReached(now: self.at(22)) == [.connect])
        // The app is removed while the person is asked: the call ends as with a refusal.
        _ = machine.permissionChanged(.undecided, self.wishes, now: self.at(22))
        _ = machine.lost("removed", now: self.at(23))
        #expect(machine.deadlineReached(now: self.at(24)) == [.reconnect])
        let actions = machine.refused("no such app", now: self.at(24))
        #expect(actions.count == 2 && actions.last == .disconnect && !machine.isStarted)
    }

    @Test func anUnknownPositionIsToldAsInactiveWhenItLasts() {
        var (machine, _) = self.started(.granted)
        machine.positionVanished(now: self.at(1))
        #expect(machine.isActive && machine.deadline == self.at(61))
        #expect(machine.positionReceived(self.here, self.wishes, now: self.at(2)) == [.tell(self.here)])
        #expect(machine.deadline == nil)
        machine.positionVanished(now: self.at(3))
        #expect(machine.deadlineReached(now: self.at(63)) == [.activeChanged] && !machine.isActive)
        #expect(machine.started(CallID(2), self.wishes, now: self.at(64)) == [.answer(CallID(2), nil)])
        let actions = machine.positionReceived(self.here, self.wishes, now: self.at(65))
        #expect(actions == [.activeChanged, .tell(self.here)] && machine.isActive)
    }

    @Test func theNewestOfThosePositionsThatCameTooEarlyIsToldInItsTime() {
        var machine = ClientMachine()
        var wishes = Wishes()
        wishes.time = 10
        _ = machine.started(self.call, wishes, now: self.at(0))
        _ = machine.permissionChanged(.granted, wishes, now: self.at(0))
        #expect(machine.positionReceived(self.here, wishes, now: self.at(1)) == [.tell(self.here)])
        #expect(machine.positionReceived(self.here, wishes, now: self.at(2)) == [] && machine.deadline == self.at(11))
        #expect(machine.positionReceived(self.there, wishes, now: self.at(3)) == [])
        #expect(machine.deadlineReached(now: self.at(10)) == [])
        #expect(machine.deadlineReached(now: self.at(11)) == [.tell(self.there)] && machine.deadline == nil)
        #expect(machine.wishesChanged(Wishes()) == [.declare])
        #expect(machine.positionReceived(self.here, wishes, now: self.at(12)) == [.tell(self.here)])
    }

    /// Goal: in no state does an input leave a call unanswered, or answer it twice.
    @Test(arguments: [Permission.undecided, .denied, .off, .granted])
    func everyCallIsAnsweredOnce(_ permission: Permission) {
        let ends: [(inout ClientMachine) -> [ClientMachine.Action]] = [
            { $0.stopped() },
            { $0.deadlineReached(now: self.at(20)) },
            { $0.lost("x", now: self.at(1)) + $0.deadlineReached(now: self.at(20)) },
            { $0.permissionChanged(.granted, self.wishes, now: self.at(1)) },
            { $0.permissionChanged(.denied, self.wishes, now: self.at(1)) },
            { $0.lost("x", now: self.at(1)) + $0.refused("removed", now: self.at(2)) },
        ]
        for end in ends {
            var (machine, actions) = self.started(permission)
            actions += end(&machine)
            let answers = actions.filter { if case .answer = $0 { true } else { false } }
            #expect(answers.count == 1, "\(actions)")
        }
    }

    @Test(
        arguments: [(0, -1), (1, 1000), (2_147_483, 2_147_483_000), (2_147_484, Int32.max), (UInt32.max, .max)]
            as [(UInt32, Int32)]
    )
    func distancesAreClamped(_ metres: UInt32, _ millimetres: Int32) {
        var wishes = Wishes()
        wishes.distance = metres
        #expect(wishes.service(under: .exact).distanceFilter == millimetres)
    }

    @Test(
        arguments: [
            (0, .exact, false), (1, .exact, false), (4, .exact, false), (5, .exact, false), (6, .exact, true),
            (7, .exact, true),
            (8, .exact, true), (UInt32.max, .exact, true), (8, .street, true), (8, .neighborhood, false),
        ] as [(UInt32, AccuracyLevel, Bool)]
    )
    func levelsAreFullOrReduced(_ level: UInt32, _ cap: AccuracyLevel, _ isFull: Bool) {
        var wishes = Wishes()
        wishes.level = level
        #expect(wishes.service(under: cap).needsFullAccuracy == isFull)
    }
}

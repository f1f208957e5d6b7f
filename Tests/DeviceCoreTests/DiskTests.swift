internal import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// Goal: a failing disk delays decisions and pushes, but loses none, and nothing is acknowledged too early.
@Suite struct DiskTests {
    private let app = CoreOnPaper.app

    @Test func aStateThatCouldNotBeSavedIsSavedLater() {
        var core = CoreOnPaper()
        let change = Order.change(SettingsChange(bundle: self.app, location: .always))
        #expect(core.order(change) == ["save", "answer 1: done"])
        #expect(core.core.unsavedReason == nil)
        _ = core.report(.stateNotSaved(reason: "full"))
        #expect(core.core.unsavedReason == "full")
        #expect(core.wait(.milliseconds(1999)) == [])
        #expect(core.wait(.milliseconds(1)) == ["save"])
        #expect(core.core.unsavedReason == "full", "until it is known that the disk took it")
        _ = core.report(.stateNotSaved(reason: "still full"))
        #expect(core.wait(.seconds(2)) == ["save"])
        _ = core.report(.stateSaved)
        #expect(core.core.unsavedReason == nil)
        #expect(core.wait(.seconds(60)) == [])
    }

    @Test func anotherFailureDoesNotPutTheNextAttemptOff() {
        var core = CoreOnPaper()
        _ = core.report(.stateNotSaved(reason: "full"))
        _ = core.wait(.seconds(1))
        _ = core.report(.stateNotSaved(reason: "full"))
        #expect(core.wait(.seconds(1)) == ["save"])
    }

    @Test func theEndSavesOnceMoreWhatIsNotSaved() {
        var core = CoreOnPaper()
        _ = core.report(.stateNotSaved(reason: "full"))
        #expect(core.report(.endOrdered) == ["save", "end"])
    }

    @Test func aPushIsAcknowledgedWhenItIsKeptAndNotBefore() {
        var core = CoreOnPaper()
        core.runsRegistered()
        #expect(core.report(.pushArrived(core.push(1))) == ["keep 1"])
        #expect(core.report(.pushArrived(core.push(1))) == [], "the gateway sends it again meanwhile")
        _ = core.report(.pushNotKept(core.push(1).id, reason: "full"))
        #expect(core.report(.pushArrived(core.push(1))) == [], "and while it waits")
        #expect(core.wait(.seconds(2)) == ["keep 1"])
        #expect(core.report(.pushKept(core.push(1).id)).prefix(1) == ["acknowledge 1"])
        #expect(core.report(.pushKept(core.push(1).id)) == [])
    }

    @Test func noMoreThanSixteenPushesWaitForTheDisk() {
        var core = CoreOnPaper()
        core.runsRegistered()
        for number in 1...UInt64(17) {
            _ = core.report(.pushArrived(core.push(number)))
            _ = core.report(.pushNotKept(core.push(number).id, reason: "full"))
        }
        #expect(core.wait(.seconds(2)) == (1...16).map { "keep \($0)" })
        #expect(core.report(.pushArrived(core.push(17))) == ["keep 17"], "the gateway still has it")
    }

    @Test func anOwnersPushIsNotAcknowledgedAndNotTriedAgain() {
        var core = CoreOnPaper()
        core.runsRegistered()
        #expect(core.order(.push(core.push(1, isObject: false))).last?.hasSuffix("no object") == true)
        #expect(core.order(.push(core.push(2))) == ["keep 2"])
        #expect(core.report(.pushNotKept(core.push(2).id, reason: "full")).last?.hasSuffix("failed: full") == true)
        #expect(core.wait(.seconds(10)) == [])
        #expect(core.order(.push(core.push(3))) == ["keep 3"])
        let words = core.report(.pushKept(core.push(3).id))
        #expect(!words.contains("acknowledge 3") && words.last?.hasSuffix("pushed: underWay") == true)
    }

    @Test func eventsThatActionsCauseWaitForTheirTurn() {
        var core = CoreOnPaper()
        let isFirst = core.core.enqueue(.happened(.servicesSwitched(on: false)))
        let isSecond = core.core.enqueue(.stateNotSaved(reason: "full"))
        #expect(isFirst && !isSecond, "somebody empties the queue already")
        let now = core.now
        let first = core.core.next(now: now)
        #expect(first?.contains(.save) == true)
        #expect(core.core.unsavedReason == nil)
        let second = core.core.next(now: now)
        #expect(second == [])
        #expect(core.core.unsavedReason == "full")
        let third = core.core.next(now: now)
        #expect(third == nil)
        let begins = core.core.enqueue(.stateSaved)
        #expect(begins, "and the next one begins anew")
    }
}

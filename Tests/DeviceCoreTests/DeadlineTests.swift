internal import Testing
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

/// Goal: the next deadline is reported with the reason of the part that set it.
@Suite struct DeadlineTests {
    private let app = CoreOnPaper.app

    @Test func anIdleCoreHasNoDeadline() {
        #expect(CoreOnPaper().core.nextDeadline == nil)
    }

    @Test func aRefusedStateIsWrittenAgain() {
        var core = CoreOnPaper()
        _ = core.report(.stateNotSaved(reason: "full"))
        #expect(core.core.nextDeadline == Deadline(core.now.monotonic.advanced(by: .seconds(2)), .saving))
    }

    @Test func aRefusedPushIsWrittenAgain() {
        var core = CoreOnPaper()
        core.runsRegistered()
        _ = core.report(.pushArrived(core.push(1)))
        _ = core.report(.pushNotKept(core.push(1).id, reason: "full"))
        _ = core.wait(.seconds(1))
        #expect(core.core.nextDeadline?.reason == .keepingPushes)
    }

    /// Goal: of two deadlines, the core reports the earlier one first, and then the other one.
    @Test func theEarliestReasonIsReported() {
        var core = CoreOnPaper()
        _ = core.order(.run(self.app, .foreground))
        _ = core.report(.appStarted(self.app))
        _ = core.report(.stateNotSaved(reason: "full"))
        #expect(core.core.nextDeadline?.reason == .process)
        _ = core.wait(.seconds(1))
        #expect(core.core.nextDeadline?.reason == .saving)
    }

    @Test func theShutdownReplacesOtherReasons() {
        var core = CoreOnPaper()
        _ = core.order(.run(self.app, .foreground))
        _ = core.report(.appStarted(self.app))
        _ = core.report(.endOrdered)
        #expect(core.core.nextDeadline?.reason == .shutdown)
    }

    /// Goal: the core reports the engine's deadlines too.
    ///
    /// It kills an app that does not connect after its launch.
    @Test func theEnginesReasonIsReported() {
        var core = CoreOnPaper()
        _ = core.order(.run(self.app, .background))
        _ = core.report(.appStarted(self.app))
        _ = core.connect()
        _ = core.wait(.seconds(1))
        #expect(core.core.nextDeadline?.reason == .engine(.lifecycle))
    }
}

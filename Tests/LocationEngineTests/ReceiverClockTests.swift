internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

@Suite struct ReceiverClockTests {
    private static let start = WallTime(seconds: 1_795_000_000)

    /// The time after some seconds, by a wall clock that was set in between.
    private static func now(_ seconds: Double, set step: Double = 0) -> Now {
        Now(
            monotonic: EngineInstant(sinceStart: .seconds(seconds)),
            wall: self.start.advanced(by: .seconds(seconds + step))
        )
    }

    /// Feeds a fix that arrived at `arrival`, from a receiver whose clock shows `time`; both in seconds.
    private static func came(_ clock: inout ReceiverClock, _ time: Double, at arrival: Double) -> ReceiverClock.OnFix {
        clock.fixCame(measured: self.start.advanced(by: .seconds(time)), now: self.now(arrival))
    }

    private static func dated(_ seconds: Double) -> ReceiverClock.OnFix {
        .date(self.start.advanced(by: .seconds(seconds)))
    }

    @Test func aRightClockIsBelieved() {
        var clock = ReceiverClock(policy: Policy())
        for second in 1...9 {
            #expect(Self.came(&clock, Double(second) - 0.3, at: Double(second)) == Self.dated(Double(second) - 0.3))
        }
        #expect(clock.offset == .zero)
    }

    /// Goal: after an interruption of 25 s, delayed fixes are dated as old, however fast they arrive, and current ones
    /// are not.
    @Test(arguments: [0.0, 0.05, 0.5]) func aBacklogIsOld(_ pause: Double) {
        var clock = ReceiverClock(policy: Policy())
        #expect(Self.came(&clock, 0, at: 0.2) == Self.dated(0))
        var arrival = 25.0
        var second = 1.0
        var late = 0
        while arrival - second > 5.01 {
            #expect(Self.came(&clock, second, at: arrival) == .drop(.late))
            late += 1
            arrival += pause
            second += 1
        }
        #expect(clock.offset == .zero && late > 15)
        #expect(Self.came(&clock, arrival - 1, at: arrival) == Self.dated(arrival - 1))
    }

    @Test func aWeekRolloverIsLearned() {
        var clock = ReceiverClock(policy: Policy())
        let weeks = 1024.0 * 604_800
        for second in 0...4 {
            #expect(Self.came(&clock, Double(second) - weeks - 0.2, at: Double(second)) == .drop(.late))
        }
        #expect(Self.came(&clock, 5 - weeks - 0.2, at: 5) == Self.dated(5))
        // A fix that is delayed a little is dated by its own time.
        #expect(Self.came(&clock, 6 - weeks - 0.2, at: 9) == Self.dated(6))
        // A fix that is delayed for long counts as late.
        #expect(Self.came(&clock, 7 - weeks, at: 30) == .drop(.late))
    }

    @Test func aClockThatIsAheadIsLearnedAtOnce() {
        var clock = ReceiverClock(policy: Policy())
        #expect(Self.came(&clock, 100, at: 1) == Self.dated(1))
        #expect(Self.came(&clock, 101, at: 2) == Self.dated(2))
        #expect(Self.came(&clock, 102, at: 4) == Self.dated(3), "it waited a second")
        // A shorter delay reveals more of the clock's offset.
        #expect(Self.came(&clock, 104.5, at: 5) == Self.dated(5))
    }

    /// The same for a clock that is ahead by less than the tolerance: apps never get a fix from the future.
    @Test(arguments: [0.5, 0.75, 4.5]) func aClockThatIsALittleAheadIsLearned(_ ahead: Double) {
        var clock = ReceiverClock(policy: Policy())
        for second in 1...5 {
            #expect(Self.came(&clock, Double(second) + ahead, at: Double(second)) == Self.dated(Double(second)))
        }
        // A fix that is delayed a little is dated by its own time.
        #expect(Self.came(&clock, 6 + ahead, at: 6.25) == Self.dated(6))
    }

    /// A receiver that learns of a leap second while it runs.
    @Test func aStepAheadIsLearned() {
        var clock = ReceiverClock(policy: Policy())
        #expect(Self.came(&clock, 0.75, at: 1) == Self.dated(0.75))
        #expect(Self.came(&clock, 2.75, at: 2) == Self.dated(2))
        #expect(Self.came(&clock, 3.75, at: 3) == Self.dated(3))
    }

    /// A clock that was ahead and is corrected is accepted when its fixes are equally late for five seconds.
    @Test func aSmallOffsetIsUnlearned() {
        var clock = ReceiverClock(policy: Policy())
        _ = Self.came(&clock, 4, at: 1)
        for second in 2...6 {
            #expect(Self.came(&clock, Double(second) - 0.25, at: Double(second)) == Self.dated(Double(second) - 3.25))
        }
        #expect(Self.came(&clock, 6.75, at: 7) == Self.dated(6.75))
        #expect(clock.offset == .zero)
    }

    @Test func aClockThatIsPutRightIsBelievedAtOnce() {
        var clock = ReceiverClock(policy: Policy())
        _ = Self.came(&clock, 5000, at: 1)
        #expect(Self.came(&clock, 1.9, at: 2) == Self.dated(1.9))
        #expect(clock.offset == .zero)
    }

    /// Goal: a device without a battery for its clock, which jumps by a year when it gets a network, has no fix only
    /// for seconds.
    @Test func theDevicesClockMayBeSet() {
        var clock = ReceiverClock(policy: Policy())
        let year = 31_536_000.0
        #expect(Self.came(&clock, year, at: 1) == Self.dated(1))
        // From now on, both clocks are right.
        #expect(Self.came(&clock, 1.8, at: 2) == Self.dated(1.8))
    }

    /// Goal: no fix is lost when a network sets the device's clock, forward or back.
    @Test(arguments: [-86_400.0, -11, 11, 3600]) func aDeviceClockThatIsSetCostsNoFix(_ step: Double) {
        var clock = ReceiverClock(policy: Policy())
        for second in 1...3 { _ = Self.came(&clock, Double(second) - 0.25, at: Double(second)) }
        for second in 4...9 {
            let time = Self.start.advanced(by: .seconds(Double(second) - 0.25))
            let on = clock.fixCame(measured: time, now: Self.now(Double(second), set: step))
            #expect(on == Self.dated(Double(second) - 0.25 + step))
        }
        // And back.
        #expect(Self.came(&clock, 9.75, at: 10) == Self.dated(9.75))
        // A delayed fix is still late.
        #expect(Self.came(&clock, 10, at: 30) == .drop(.late))
    }

    /// Goal: a single line with a future time, from a receiver whose clock is right, affects neither the clock nor an
    /// app.
    @Test func aSlipIntoTheFutureIsRefused() {
        var clock = ReceiverClock(policy: Policy())
        #expect(Self.came(&clock, 0.9, at: 1) == Self.dated(0.9))
        #expect(Self.came(&clock, 1e9, at: 2) == .drop(.future))
        #expect(Self.came(&clock, 2.9, at: 3) == Self.dated(2.9))
        // A constant difference becomes the clock's offset.
        for second in 4...8 { #expect(Self.came(&clock, 600 + Double(second), at: Double(second)) == .drop(.future)) }
        #expect(Self.came(&clock, 609, at: 9) == Self.dated(9))
    }
}

internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsLocationEngine

/// Goal: only one source runs and counts at a time, and a device with several sources is never worse than with its best
/// one.
@Suite struct SourceArbiterTests {
    private static func at(_ seconds: Double) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    private static func fix(at seconds: Double) -> SensorReport {
        .fix(
            Fix(
                latitude: 1,
                longitude: 1,
                horizontalAccuracy: 5000,
                time: WallTime(seconds: 0),
                arrival: self.at(seconds)
            )
        )
    }

    /// A device whose first source has delivered since second 1.
    private static func delivering(sources: Int = 2) -> SourceArbiter {
        var arbiter = SourceArbiter(coarse: Array(repeating: false, count: sources), policy: Policy())
        #expect(arbiter.needChanged(to: .best, now: self.at(0)) == [.start(0)])
        let result = arbiter.reported(self.fix(at: 1), from: 0, now: self.at(1))
        #expect(result.isPassedOn && result.orders.isEmpty && arbiter.chosen == 0)
        return arbiter
    }

    @Test func oneSourceIsLeftAlone() {
        var arbiter = Self.delivering(sources: 1)
        #expect(arbiter.reported(.lost(.receiver), from: 0, now: Self.at(2)) == .init(isPassedOn: true, orders: []))
        #expect(arbiter.reported(.ready(.receiver), from: 0, now: Self.at(3)).isPassedOn)
        #expect(arbiter.reported(Self.fix(at: 4), from: 0, now: Self.at(4)).isPassedOn)
        #expect(arbiter.deadlineReached(now: Self.at(60)).isEmpty)
        #expect(arbiter.needChanged(to: nil, now: Self.at(61)) == [.stop(0)])
        #expect(arbiter.deadline == nil)
    }

    @Test func theNextOneIsStartedWhenTheFirstFails() {
        var arbiter = Self.delivering()
        #expect(arbiter.deadlineReached(now: Self.at(5)).isEmpty)
        #expect(arbiter.deadline == Self.at(6))
        #expect(arbiter.deadlineReached(now: Self.at(6)) == [.start(1)])
        // The first source is dead, and the second has no fix yet; apps are not told that the location is lost.
        #expect(!arbiter.reported(.lost(.receiver), from: 0, now: Self.at(7)).isPassedOn)
        #expect(arbiter.reported(Self.fix(at: 8), from: 1, now: Self.at(8)).isPassedOn)
        #expect(arbiter.chosen == 1)
        // Now both are lost.
        #expect(arbiter.reported(.lost(.receiver), from: 1, now: Self.at(9)).isPassedOn)
    }

    @Test func aSourceThatNeverBeginsIsGivenItsTime() {
        var arbiter = SourceArbiter(coarse: [false, false], policy: Policy())
        _ = arbiter.needChanged(to: .best, now: Self.at(0))
        #expect(arbiter.deadlineReached(now: Self.at(9)).isEmpty)
        #expect(arbiter.deadlineReached(now: Self.at(10)) == [.start(1)])
    }

    /// Goal: the better source counts again only when it is reliable again, and then it is the only one.
    @Test func theBetterOneComesBack() {
        var arbiter = Self.delivering()
        _ = arbiter.reported(.lost(.receiver), from: 0, now: Self.at(2))
        #expect(arbiter.runs(1))
        _ = arbiter.reported(Self.fix(at: 3), from: 1, now: Self.at(3))
        // A short reception is not enough.
        #expect(!arbiter.reported(Self.fix(at: 4), from: 0, now: Self.at(4)).isPassedOn)
        _ = arbiter.reported(.lost(.receiver), from: 0, now: Self.at(5))
        for second in 10..<15 {
            let moment = Double(second)
            #expect(!arbiter.reported(Self.fix(at: moment), from: 0, now: Self.at(moment)).isPassedOn)
            #expect(arbiter.reported(Self.fix(at: moment), from: 1, now: Self.at(moment)).isPassedOn)
        }
        let result = arbiter.reported(Self.fix(at: 15), from: 0, now: Self.at(15))
        #expect(result == .init(isPassedOn: true, orders: [.stop(1)]))
        #expect(arbiter.chosen == 0 && !arbiter.runs(1))
        // A report that was still in transit has no effect.
        #expect(!arbiter.reported(Self.fix(at: 15), from: 1, now: Self.at(15)).isPassedOn)
    }

    /// Goal: a receiver is off unless an app needs what only it provides.
    @Test func aCoarseSourceIsPreferredWhile100mWillDo() {
        var arbiter = SourceArbiter(coarse: [false, true], policy: Policy())
        #expect(arbiter.needChanged(to: .hundredMetres, now: Self.at(0)) == [.start(1)])
        #expect(arbiter.reported(Self.fix(at: 1), from: 1, now: Self.at(1)).isPassedOn)
        // An app needs more accuracy: the coarse source counts until the other one is reliable.
        #expect(arbiter.needChanged(to: .best, now: Self.at(2)) == [.start(0)])
        for second in 3..<8 {
            let moment = Double(second)
            #expect(arbiter.reported(Self.fix(at: moment), from: 1, now: Self.at(moment)).isPassedOn)
            #expect(!arbiter.reported(Self.fix(at: moment), from: 0, now: Self.at(moment)).isPassedOn)
        }
        #expect(
            arbiter.reported(Self.fix(at: 8), from: 0, now: Self.at(8)) == .init(isPassedOn: true, orders: [.stop(1)])
        )
        // And back again, in the same way.
        #expect(arbiter.needChanged(to: .hundredMetres, now: Self.at(9)) == [.start(1)])
        for second in 10..<15 {
            let moment = Double(second)
            #expect(arbiter.reported(Self.fix(at: moment), from: 0, now: Self.at(moment)).isPassedOn)
            #expect(!arbiter.reported(Self.fix(at: moment), from: 1, now: Self.at(moment)).isPassedOn)
        }
        #expect(
            arbiter.reported(Self.fix(at: 15), from: 1, now: Self.at(15)) == .init(isPassedOn: true, orders: [.stop(0)])
        )
        // A failed substitute does not matter, because the receiver has a fix.
        #expect(arbiter.reported(.lost(.receiver), from: 1, now: Self.at(16)).orders == [.start(0)])
    }

    /// Goal: whatever the sources report, the first one runs only while positions are needed, and each fix of the
    /// active source causes one report.
    @Test(arguments: 1...40) func anyStoryKeepsTheRules(seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        let count = Int.random(in: 1...4, using: &generator)
        let coarse = (0..<count).map { _ in Bool.random(using: &generator) }
        var arbiter = SourceArbiter(coarse: coarse, policy: Policy())
        var running: Set<Int> = []
        var needed: NeededAccuracy?
        var second = 0.0
        func carryOut(_ orders: [SourceArbiter.Order]) {
            for order in orders {
                switch order {
                case .start(let number): #expect(running.insert(number).inserted)
                case .stop(let number): #expect(running.remove(number) != nil)
                }
            }
        }
        for _ in 0..<400 {
            second += Double.random(in: 0...4, using: &generator)
            let now = Self.at(second)
            let source = Int.random(in: 0..<count, using: &generator)
            switch Int.random(in: 0..<8, using: &generator) {
            case 0:
                needed = [.best, .best, .hundredMetres, .hundredMetres, nil].randomElement(using: &generator) ?? nil
                carryOut(arbiter.needChanged(to: needed, now: now))
            case 1: carryOut(arbiter.reported(.lost(.receiver), from: source, now: now).orders)
            case 2: carryOut(arbiter.reported(.ready(.receiver), from: source, now: now).orders)
            case 3: carryOut(arbiter.deadlineReached(now: now))
            default:
                let result = arbiter.reported(Self.fix(at: second), from: source, now: now)
                #expect(result.isPassedOn == (arbiter.chosen == source && running.contains(source)))
                carryOut(result.orders)
            }
            let first = needed == .hundredMetres ? coarse.firstIndex(of: true) ?? 0 : 0
            #expect(running.contains(first) == (needed != nil))
            #expect(needed != nil || running.isEmpty)
            #expect(running == Set((0..<count).filter { arbiter.runs($0) }))
        }
    }
}

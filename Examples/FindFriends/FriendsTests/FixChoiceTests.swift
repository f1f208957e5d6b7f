import Testing
import WhereaboutsSharing

#if canImport(Friends)
@testable import Friends
#else
@testable import FindFriends
#endif

@Suite struct FixChoiceTests {
    private let now = WallTime(seconds: 1_800_000_000)

    private func fix(_ accuracy: Double, age: Duration) throws -> SharedFix {
        try SharedFix(
            latitude: 53.55,
            longitude: 9.99,
            horizontalAccuracy: accuracy,
            time: self.now.advanced(by: .zero - age)
        )
    }

    @Test func goodFixIsTakenAtOnce() throws {
        var choice = FixChoice()
        let fix = try self.fix(100, age: .seconds(30))
        let isGood = choice.consider(fix, isApproximate: false, now: self.now)
        #expect(isGood && choice.best == fix)
    }

    @Test(arguments: [(101.0, Duration.seconds(0)), (5, .seconds(31))])
    func fixThatIsNotGoodIsKeptForTheEnd(accuracy: Double, age: Duration) throws {
        var choice = FixChoice()
        let fix = try self.fix(accuracy, age: age)
        let isGood = choice.consider(fix, isApproximate: false, now: self.now)
        #expect(!isGood && choice.best == fix)
    }

    @Test(arguments: [(1501.0, Duration.seconds(0)), (5, .seconds(601))])
    func uselessFixIsNeverTold(accuracy: Double, age: Duration) throws {
        var choice = FixChoice()
        let isGood = choice.consider(try self.fix(accuracy, age: age), isApproximate: false, now: self.now)
        #expect(!isGood && choice.best == nil)
    }

    @Test func betterFixTakesThePlaceOfTheWorseOne() throws {
        var choice = FixChoice()
        _ = choice.consider(try self.fix(900, age: .zero), isApproximate: false, now: self.now)
        _ = choice.consider(try self.fix(300, age: .zero), isApproximate: false, now: self.now)
        _ = choice.consider(try self.fix(600, age: .zero), isApproximate: false, now: self.now)
        #expect(choice.best?.horizontalAccuracy == 300)
    }

    @Test func approximateFixMayBeTwentyMinutesOld() throws {
        var choice = FixChoice()
        let isTooOld = choice.consider(try self.fix(5000, age: .seconds(1201)), isApproximate: true, now: self.now)
        let isGood = choice.consider(try self.fix(5000, age: .seconds(1200)), isApproximate: true, now: self.now)
        #expect(!isTooOld && isGood)
    }

    @Test func invalidFixIsNoFix() {
        #expect(throws: SharingError.self) { try self.fix(-1, age: .zero) }
    }
}

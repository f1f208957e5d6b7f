internal import Testing
internal import WhereaboutsLocationEngine
internal import WhereaboutsVocabulary

@Suite struct EnergyAccountTests {
    private static func at(_ seconds: Double) -> EngineInstant { EngineInstant(sinceStart: .seconds(seconds)) }

    @Test func timesAndEnergyAddUp() throws {
        var account = EnergyAccount(.satellites, now: Self.at(100))
        account.fixCame(now: Self.at(101))
        #expect(!account.isOn && account.times(now: Self.at(110)).tracking == .zero)
        account.switchedOn(now: Self.at(110))
        account.switchedOn(now: Self.at(112))
        account.fixCame(now: Self.at(120))
        account.fixCame(now: Self.at(121))
        #expect(account.times(now: Self.at(150)) == .init(acquiring: 10, tracking: 30, whole: 50))
        account.switchedOff(now: Self.at(150))
        account.switchedOff(now: Self.at(160))
        let times = account.times(now: Self.at(200.5))
        #expect(times == .init(acquiring: 10, tracking: 30, whole: 100.5))
        let energy = try #require(account.millijoules(now: Self.at(200.5)))
        #expect(energy.used == 96 * 10 + 87 * 30)
        #expect(energy.alwaysOn == 87 * 100 + 43)
    }

    @Test func nothingIsMadeUp() {
        var account = EnergyAccount(nil, now: Self.at(0))
        account.switchedOn(now: Self.at(1))
        #expect(account.millijoules(now: Self.at(9)) == nil)
    }
}

extension EnergyAccount.Times {
    fileprivate init(acquiring: Double, tracking: Double, whole: Double) {
        self.init()
        self.acquiring = .seconds(acquiring)
        self.tracking = .seconds(tracking)
        self.whole = .seconds(whole)
    }
}

internal import Testing

@testable internal import WhereaboutsVocabulary

@Suite struct GCRATests {
    private static func second(_ number: Int) -> EngineInstant { EngineInstant(sinceStart: .seconds(number)) }

    @Test func soManyAtOnceAndOneMoreAfterEachInterval() {
        var allowance = GCRA(burst: 3, every: .seconds(10))
        #expect(allowance.isWhole(now: Self.second(0)))
        #expect((0..<5).map { _ in allowance.take(now: Self.second(0)) } == [true, true, true, false, false])
        #expect(allowance.take(now: Self.second(9)) == false)
        #expect(allowance.take(now: Self.second(10)) == true)
        #expect(allowance.take(now: Self.second(10)) == false)
        #expect(!allowance.isWhole(now: Self.second(39)))
        #expect(allowance.isWhole(now: Self.second(40)))
        #expect((0..<4).map { _ in allowance.take(now: Self.second(1000)) } == [true, true, true, false])
    }

    @Test func addressesDoNotTakeFromEachOther() {
        var allowances = KeyedGCRA<AddressBlock>(burst: 1, every: .seconds(10))
        let (first, second) = (AddressBlock([1]), AddressBlock([2]))
        #expect(allowances.take(for: first, now: Self.second(0)) == true)
        #expect(allowances.take(for: first, now: Self.second(0)) == false)
        #expect(allowances.take(for: second, now: Self.second(0)) == true)
    }

    @Test func aResetMakesOneKeysLimitUnused() {
        var allowances = KeyedGCRA<Int>(burst: 1, every: .seconds(10))
        for key in [1, 2] { #expect(allowances.take(for: key, now: Self.second(0)) == true) }
        allowances.reset(1)
        #expect(allowances.take(for: 1, now: Self.second(0)) == true)
        #expect(allowances.take(for: 2, now: Self.second(0)) == false)
    }

    /// Goal: addresses beyond the number that can be stored share one allowance, until earlier ones are restored.
    @Test func addressesBeyondTheBoundShare() {
        var allowances = KeyedGCRA<AddressBlock>(burst: 1, every: .seconds(10))
        func address(_ number: Int) -> AddressBlock { AddressBlock([UInt8(number >> 8), UInt8(number & 0xFF)]) }
        for number in 0..<KeyedGCRA<AddressBlock>.keysMax {
            #expect(allowances.take(for: address(number), now: Self.second(0)) == true)
        }
        #expect(allowances.take(for: address(20_000), now: Self.second(1)) == true)
        #expect(allowances.take(for: address(20_001), now: Self.second(1)) == false)
        #expect(allowances.take(for: address(20_001), now: Self.second(10)) == true)
        #expect(allowances.take(for: address(20_002), now: Self.second(10)) == true)
    }
}

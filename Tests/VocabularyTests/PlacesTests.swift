internal import Testing

@testable internal import WhereaboutsVocabulary

/// Places as transcripts of 4 places; an address may have 16 strangers, so that it is no matter here.
@Suite struct PlacesTests {
    private static func address(_ number: Int) -> AddressBlock {
        AddressBlock([10, 0, UInt8(number / 256), UInt8(number % 256)])
    }

    private static func full(_ trusts: [Places<Int>.Trust]) -> Places<Int> {
        var places = Places<Int>(placesMax: trusts.count)
        for (number, trust) in trusts.enumerated() {
            _ = places.arrived(number, from: Self.address(number))
            places.showed(trust, number)
        }
        return places
    }

    @Test(arguments: [
        ([Places<Int>.Trust.unproven, .unproven, .proven, .known], Places<Int>.OnArrival.replace(0)),
        ([.proven, .unproven, .proven, .known], .replace(1)),
        ([.known, .proven, .proven, .known], .replace(1)),
        ([.known, .known, .known, .known], .refuse),
    ])
    func strangersGoFirstAndOfThoseTheOldest(_ trusts: [Places<Int>.Trust], _ action: Places<Int>.OnArrival) {
        var places = Self.full(trusts)
        #expect(places.arrived(9, from: Self.address(9)) == action)
        #expect(places.count == 4)
    }

    @Test func aPlaceThatWasLeftIsFree() {
        var places = Self.full([.known, .known])
        places.left(0)
        places.left(0)
        #expect(places.arrived(2, from: Self.address(2)) == .admit)
        #expect(places.arrived(3, from: Self.address(3)) == .replace(2))
        // Its connection ends after it was replaced.
        places.left(2)
        #expect(places.count == 2)
    }

    @Test func anAddressHasItsShareOfStrangersAndAnyNumberOfTheKnown() {
        var places = Places<Int>(placesMax: 100)
        for number in 0..<16 { #expect(places.arrived(number, from: Self.address(1)) == .admit) }
        #expect(places.arrived(16, from: Self.address(1)) == .refuseAddress)
        #expect(places.arrived(17, from: Self.address(2)) == .admit)
        places.showed(.proven, 0)
        #expect(places.arrived(18, from: Self.address(1)) == .refuseAddress)
        places.showed(.known, 0)
        #expect(places.arrived(19, from: Self.address(1)) == .admit)
        places.left(1)
        #expect(places.arrived(20, from: Self.address(1)) == .admit)
        // The known one's end leaves no room for another stranger.
        places.left(0)
        #expect(places.arrived(21, from: Self.address(1)) == .refuseAddress)
        #expect(Places<Int>(placesMax: 10_000).strangersPerAddressMax == 100)
    }

    /// Goal: thousands who come and go leave nothing behind, and the turn of the oldest who is still here holds.
    @Test func turnsOfThoseWhoLeftAreForgotten() {
        var places = Places<Int>(placesMax: 10)
        _ = places.arrived(-1, from: Self.address(0))
        for number in 0..<10_000 {
            _ = places.arrived(number, from: Self.address(number))
            places.left(number)
        }
        for number in 10_000..<10_009 { _ = places.arrived(number, from: Self.address(number)) }
        #expect(places.arrived(7, from: Self.address(7)) == .replace(-1))
    }

    @Test func addressesAreTakenByTheBlock() {
        let mapped = Array(repeating: UInt8(0), count: 10) + [0xFF, 0xFF, 192, 0, 2, 1]
        #expect(AddressBlock(mapped) == AddressBlock([192, 0, 2, 1]))
        #expect(AddressBlock([192, 0, 2, 1]) != AddressBlock([192, 0, 2, 2]))
        let first = Array(repeating: UInt8(1), count: 16)
        #expect(AddressBlock(first) == AddressBlock(first.dropLast() + [2]))
        #expect(AddressBlock(first) != AddressBlock([2] + first.dropFirst()))
    }
}

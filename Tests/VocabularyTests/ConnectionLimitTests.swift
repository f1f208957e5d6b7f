internal import Testing

@testable internal import WhereaboutsVocabulary

@Suite struct ConnectionLimitTests {
    private typealias Limit = ConnectionLimit<Int, String>

    private static func address(_ number: Int) -> AddressBlock {
        AddressBlock([10, 0, UInt8(number / 256), UInt8(number % 256)])
    }

    /// A limit whose places are all occupied, each from another address.
    private static func full(_ trusts: [ConnectionTrust]) -> Limit {
        var limit = Limit(connectionsMax: trusts.count)
        for (number, trust) in trusts.enumerated() {
            _ = limit.arrived(number, from: Self.address(number))
            limit.showed(trust, number)
        }
        return limit
    }

    /// A limit of which half of the places are occupied by connections that others rely on.
    private static func scarce(_ connectionsMax: Int) -> Limit {
        var limit = Limit(connectionsMax: connectionsMax)
        for number in 0..<(connectionsMax / 2) {
            _ = limit.arrived(-1 - number, from: Self.address(1000 + number), trust: .known)
        }
        return limit
    }

    @Test(arguments: [
        ([ConnectionTrust.stranger, .stranger, .enrolled, .known], 0), ([.enrolled, .stranger, .enrolled, .known], 1),
        ([.known, .stranger, .stranger, .known], 1), ([.enrolled, .known, .stranger, .stranger], 2),
        ([.known, .known, .enrolled, .enrolled], 2), ([.known, .known, .known, .known], nil),
    ])
    func theOldestOfThoseWhoShowedLeastMakesRoom(_ trusts: [ConnectionTrust], _ replaced: Int?) {
        var limit = Self.full(trusts)
        #expect(limit.arrived(9, from: Self.address(9)) == replaced.map { .replace($0) } ?? .refuse)
        #expect(limit.count == 4)
    }

    @Test func aPlaceThatWasLeftIsFree() {
        var limit = Self.full([.known, .known])
        limit.left(0)
        limit.left(0)
        #expect(limit.arrived(2, from: Self.address(2)) == .admit)
        #expect(limit.arrived(3, from: Self.address(3)) == .replace(2))
        // Its connection ends after it was replaced.
        limit.left(2)
        #expect(limit.count == 2)
    }

    /// Goal: a provider with a connection for each push, and many devices behind one address, are accepted while there
    /// is room.
    @Test func anAddressIsNotBoundedWhileThereIsRoom() {
        var limit = Limit(connectionsMax: 1000)
        for number in 0..<500 { #expect(limit.arrived(number, from: Self.address(1)) == .admit) }
        #expect(limit.arrived(500, from: Self.address(1)) == .refuseAddress)
        #expect(limit.arrived(501, from: Self.address(2)) == .admit)
    }

    @Test func anAddressHasItsShareOfNewcomersOncePlacesAreScarce() {
        var limit = Self.scarce(100)
        for number in 0..<16 { #expect(limit.arrived(number, from: Self.address(1)) == .admit) }
        #expect(limit.arrived(16, from: Self.address(1)) == .refuseAddress)
        #expect(limit.arrived(17, from: Self.address(2)) == .admit)
        limit.showed(.stranger, 0)
        #expect(limit.arrived(18, from: Self.address(1)) == .refuseAddress)
        // A connection of an enrolled or known peer does not count as a newcomer.
        limit.showed(.enrolled, 0)
        #expect(limit.arrived(19, from: Self.address(1)) == .admit)
        limit.showed(.known, 0)
        #expect(limit.arrived(20, from: Self.address(1)) == .refuseAddress)
        #expect(limit.arrived(21, from: Self.address(1), trust: .known) == .admit)
        limit.left(1)
        #expect(limit.arrived(22, from: Self.address(1)) == .admit)
        // The end of a known one leaves no room for another newcomer.
        limit.left(0)
        #expect(limit.arrived(23, from: Self.address(1)) == .refuseAddress)
        let large = Limit(connectionsMax: 10_000)
        #expect(large.newcomersPerAddressMax == 100 && large.perAddressMax == 2500 && large.perKeyMax == 1000)
    }

    /// Goal: one address cannot occupy all places, whatever its connections have shown.
    @Test func anAddressHasItsShareOfAllOncePlacesAreScarce() {
        var limit = Self.scarce(100)
        for number in 0..<25 { #expect(limit.arrived(number, from: Self.address(1), trust: .known) == .admit) }
        #expect(limit.arrived(25, from: Self.address(1), trust: .known) == .refuseAddress)
        #expect(limit.arrived(26, from: Self.address(2), trust: .known) == .admit)
    }

    /// Goal: one tenant cannot occupy all places, from however many addresses.
    @Test func aKeyHasItsShareOncePlacesAreScarce() {
        var limit = Limit(connectionsMax: 100)
        var refused: Int?
        for number in 0..<100 where refused == nil {
            #expect(limit.arrived(number, from: Self.address(number)) == .admit)
            limit.showed(.known, number)
            if limit.identified(number, as: "A") == .refuse { refused = number }
        }
        // Half of the places were given without a check.
        #expect(refused == 49)
        limit.left(49)
        for number in 100..<116 {
            #expect(limit.arrived(number, from: Self.address(number)) == .admit)
            #expect(limit.identified(number, as: "B") == .keep)
        }
        #expect(limit.arrived(116, from: Self.address(116)) == .admit)
        #expect(limit.identified(116, as: "B") == .refuse)
        #expect(limit.identified(116, as: "C") == .keep)
        // It counts for the first key alone.
        #expect(limit.identified(116, as: "B") == .keep)
        limit.left(100)
        #expect(limit.arrived(117, from: Self.address(117)) == .admit)
        #expect(limit.identified(117, as: "B") == .keep)
    }

    /// Goal: thousands of short connections leave nothing behind, and the oldest open one is the next to be closed.
    @Test func thoseWhoLeftAreForgotten() {
        var limit = Limit(connectionsMax: 10)
        _ = limit.arrived(-1, from: Self.address(0))
        for number in 0..<10_000 {
            _ = limit.arrived(number, from: Self.address(number))
            limit.left(number)
        }
        for number in 10_000..<10_009 { _ = limit.arrived(number, from: Self.address(number)) }
        #expect(limit.arrived(7, from: Self.address(7)) == .replace(-1))
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

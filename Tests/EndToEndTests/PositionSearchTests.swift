internal import Foundation
internal import Rig
internal import Testing

/// Tests the search for a position in the sharing server's storage, which the demo relies on.
struct PositionSearchTests {
    private static let line = "answered: 53.54585,-9.96658 ±4 m, 1.9 s old, in 601 ms"
    /// 53.5458536 and -9.9665781, as an answer encodes them before it is sealed.
    private static let numbers: [UInt8] = [0x1F, 0xEA, 0x72, 0xE8, 0xFA, 0x0F, 0x38, 0x8B]

    private func isFound(_ bytes: [UInt8]) throws -> Bool {
        let search = try #require(PositionSearch(in: Self.line))
        return search.isFound(in: Data([7, 8, 9] + bytes + [10]))
    }

    @Test(arguments: [Self.numbers, Array(#"{"lat":53.5458536}"#.utf8), Array("-9.9666".utf8)])
    func aPositionIsFound(_ bytes: [UInt8]) throws { #expect(try self.isFound(bytes)) }

    @Test func anotherPositionIsNotFound() throws {
        #expect(try !self.isFound(Array("53.546,-9.967".utf8)))
        for index in Self.numbers.indices {
            var other = Self.numbers
            other[index] ^= 0x80
            #expect(try !self.isFound(other))
        }
        #expect(try !self.isFound(Array(Self.numbers.dropLast())))
    }

    @Test func aLineWithoutAPositionHasNone() {
        #expect(PositionSearch(in: "answered: no position within 20 s") == nil)
    }
}

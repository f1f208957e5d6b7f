internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import SystemSimulator

/// The search for identities in pushes, on which the rule that a push names nobody depends.
struct KnownPeopleTests {
    private static let people = (0..<3).map { Names.requester($0) }

    /// Bytes in which nobody is named.
    private static func noise(_ count: Int) -> [UInt8] {
        var random = SeededGenerator(seed: 7)
        return (0..<count).map { _ in .random(in: 0...255, using: &random) }
    }

    @Test(arguments: [0, 1, 7, 500, 968]) func aPersonIsFoundAnywhere(at offset: Int) {
        let known = KnownPeople(Self.people)
        for person in Self.people {
            var bytes = Self.noise(1000)
            #expect(!known.areNamed(in: bytes))
            bytes.replaceSubrange(offset..<offset + 32, with: person.bytes)
            #expect(known.areNamed(in: bytes))
            // All but the last byte is nobody.
            bytes[offset + 31] ^= 1
            #expect(!known.areNamed(in: bytes))
        }
    }

    @Test func aPersonAloneIsFoundAndLessIsNobody() {
        let known = KnownPeople(Self.people)
        #expect(known.areNamed(in: Self.people[0].bytes))
        #expect(!known.areNamed(in: Array(Self.people[0].bytes.dropLast())))
        #expect(!known.areNamed(in: []))
        #expect(!known.areNamed(in: Names.requester(3).bytes))
    }
}

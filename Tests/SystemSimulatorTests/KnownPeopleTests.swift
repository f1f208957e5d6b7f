internal import Testing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

@testable internal import SystemSimulator

/// Tests the search for identities in pushes, with which the auditor proves that pushes identify nobody.
struct KnownPeopleTests {
    private static let people = (0..<3).map { Names.requester($0) }

    /// Bytes without any identity.
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
            // An identity without its last byte is not found.
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

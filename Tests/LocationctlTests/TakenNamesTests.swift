internal import Testing

@testable internal import WhereaboutsLocationctl

/// The names that `locationctl new` refuses: a package with one of them could not be resolved.
@Suite struct TakenNamesTests {
    @Test(arguments: ["WhereaboutsSharing", "WhereaboutsHike", "HeapModule", "SwiftProtobuf"])
    func aModuleOfTheGraphIsTaken(_ name: String) {
        #expect(TakenNames.isModuleOfThisGraph(name))
    }

    @Test(arguments: ["Sharing", "Geodesy", "Hike", "Whereabout"]) func anotherNameIsFree(_ name: String) {
        #expect(!TakenNames.isModuleOfThisGraph(name))
    }
}

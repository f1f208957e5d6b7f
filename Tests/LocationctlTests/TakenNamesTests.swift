internal import Testing

@testable internal import WhereaboutsLocationctl

/// Goal: `locationctl new` refuses package names that SwiftPM could not resolve.
@Suite struct TakenNamesTests {
    @Test(arguments: ["WhereaboutsSharing", "WhereaboutsHike", "HeapModule", "SwiftProtobuf"])
    func aModuleOfTheGraphIsTaken(_ name: String) {
        #expect(TakenNames.isModuleOfThisGraph(name))
    }

    @Test(arguments: ["Sharing", "Geodesy", "Hike", "Whereabout"]) func anotherNameIsFree(_ name: String) {
        #expect(!TakenNames.isModuleOfThisGraph(name))
    }
}

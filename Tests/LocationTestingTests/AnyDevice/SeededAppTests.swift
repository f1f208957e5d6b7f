internal import Foundation
internal import Testing
internal import WhereaboutsLocationTesting

/// Five apps as people write them: what `.anyDevice` finds in them without a scenario written by hand.
@Suite struct SeededAppTests {
    private static let seeds = 200

    @Test(arguments: SeededApp.right.indices) func rightAppsPass(_ index: Int) async {
        let app = SeededApp.right[index]
        let devices = AnyDevice(seeds: Self.seeds, budget: .seconds(300), hints: app.hints, without: app.without)
        let exploration = await devices.explore(app.body)
        let report = exploration.failure?.report(of: app.app)
        #expect(report == nil)
        #expect(!exploration.ranOutOfTime)
    }

    /// Goal: the table of the guide says what is found today.
    ///
    /// Method: each mistake is explored, and its row compared.
    @Test(arguments: SeededApp.wrong.indices) func mistakesAreFoundAsTheGuideSays(_ index: Int) async throws {
        let app = SeededApp.wrong[index]
        let devices = AnyDevice(seeds: Self.seeds, budget: .seconds(300), hints: app.hints, without: app.without)
        let exploration = await devices.explore(app.body)
        let failure = try #require(exploration.failure)
        let seed = try #require(failure.seed)
        let words = failure.identity.replacing("throwing ", with: "\"").replacing("the rule .", with: "rule `")
        let found = words + (words.hasPrefix("\"") ? "\"" : "`")
        let row =
            "| \(app.app) | `\(app.bug ?? "")` | \(found) | \(seed) | \(failure.eventsDrawn) → \(failure.story.events.count) |"
        let page = URL(filePath: #filePath).appending(path: "../../../../docs/any-device.md").standardized
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
        let isThere = lines.contains(row)
        #expect(isThere, "docs/any-device.md lacks the row:\n\(row)\n\(failure.story)")
        // The smallest story fails in the same way when it is played again.
        let again = await devices.replay(failure.story, app.body)
        #expect(again?.identity == failure.identity)
    }
}

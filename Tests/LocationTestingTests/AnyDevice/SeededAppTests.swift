internal import Foundation
internal import Synchronization
internal import WhereaboutsLocationTesting

/// Tests with five realistic apps: the mistakes that `.anyDevice` finds in them without a hand-written scenario.
@Suite struct SeededAppTests {
    private static let seeds = 200
    private static let docs = URL(filePath: #filePath).appending(path: "../../../../docs").standardized

    @Test(arguments: SeededApp.right.indices) func rightAppsPass(_ index: Int) async {
        let app = SeededApp.right[index]
        let devices = AnyDevice(seeds: Self.seeds, budget: .seconds(300), hints: app.hints, without: app.without)
        let exploration = await devices.explore(app.body)
        let report = exploration.failure?.report(of: app.app)
        #expect(report == nil)
        #expect(!exploration.ranOutOfTime)
    }

    /// Goal: the guide's table lists the current findings.
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
        let page = Self.docs.appending(path: "any-device.md")
        let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
        let isThere = lines.contains(row)
        #expect(isThere, "docs/any-device.md lacks the row:\n\(row)\n\(failure.story)")
        // The smallest story fails in the same way when it is played again.
        let again = await devices.replay(failure.story, app.body)
        #expect(again?.identity == failure.identity)
    }

    /// Goal: the guide's picture is the timeline of a current finding.
    ///
    /// Method: `make pictures` draws it again.
    @Test func theGuideHasThePictureOfAFailure() async throws {
        let app = try #require(SeededApp.wrong.first { $0.bug == "sessionOfFirstLaunch" })
        let devices = AnyDevice(seeds: Self.seeds, budget: .seconds(300), hints: app.hints, without: app.without)
        let failure = try #require(await devices.explore(app.body).failure)
        let drawn = Mutex("")
        _ = await devices.replay(failure.story) { device in
            defer { drawn.withLock { $0 = device.timeline.svg(title: "The timeline of a workout app that fails") } }
            try app.body(device)
        }
        let picture = drawn.withLock { $0 }
        let file = Self.docs.appending(path: "pictures/any-device.svg")
        if ProcessInfo.processInfo.environment["WHEREABOUTS_PICTURES"] != nil {
            try Data(picture.utf8).write(to: file)
        }
        let isSame = try String(contentsOf: file, encoding: .utf8) == picture
        #expect(isSame, "docs/pictures/any-device.svg is not the timeline of\n\(failure.story)\nUse make pictures")
    }
}

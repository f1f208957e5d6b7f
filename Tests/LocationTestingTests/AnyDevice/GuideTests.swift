internal import CoreLocation
internal import Foundation
internal import WhereaboutsLocationTesting

@testable internal import VirtualApps

/// The recipes of docs/any-device.md, as an app's developer writes them.
@Suite struct GuideTests {
    @Test(.anyDevice(seeds: 10, hints: [.answer("com.example.Run", .allowWhileUsing)]))
    func recordsAgain() {
        let device = VirtualDevice()
        let app = device.install(.run)
        device.person.open(app)
        device.advance(by: .seconds(3600))
        device.endTrouble()
        device.person.set(app, to: .whileUsing)
        device.person.open(app)
        device.run(until: "it records") { app.isServed || !app.isPrecise }
    }

    private static let others = Set(Trouble.Kind.allCases).subtracting([.answer, .signalLost, .stray])

    @Test(.anyDevice(seeds: 10, without: Self.others))
    func onlyTheReceiverFails() {
        let device = VirtualDevice()
        let app = device.install(.run)
        device.world.walk(for: .seconds(3600))
        device.person.open(app)
        device.advance(by: .seconds(3600))
        let way = device.world.distance() + 15_000
        #expect(app.read { (run: RunTracker) in run.distance < way } != false)
    }

    @Test(.anyDevice(endingAtEachAwaitOf: "com.example.Run"))
    func survivesAtEachAwaitAfterEachAnswer() {
        let device = VirtualDevice()
        let app = device.install(.run)
        device.person.answersAll(device.alternative(of: [.allowWhileUsing, .dontAllow]))
        device.person.open(app)
        device.advance(by: .seconds(20))
        device.person.open(app)
        device.advance(by: .seconds(20))
        let isAllowed = app.authorizationStatus == .authorizedWhenInUse
        #expect(app.isServed || !isAllowed || app.state == .notRunning)
    }

    @Test(.anyDevice(seeds: 5), arguments: DeviceProfile.systems)
    func worksOnEachSystem(_ profile: DeviceProfile) {
        let device = VirtualDevice(profile)
        let app = device.install(.run)
        device.person.open(app)
        device.advance(by: .seconds(3600))
        device.endTrouble()
        device.person.open(app)
        #expect(app.state == .foreground)
    }

    private static let night = ProcessInfo.processInfo.environment["NIGHT"].flatMap { UInt64($0) }
    private static let manySeeds = AnyDevice(seeds: 2000, firstSeed: Self.night ?? 1, budget: .seconds(900))

    @Test(.anyDevice(Self.manySeeds), .enabled(if: Self.night != nil))
    func showsTheWeather() {
        let device = VirtualDevice()
        let app = device.install(.weather)
        device.person.open(app)
        device.advance(by: .seconds(3600))
        #expect(app.positionsGiven < 3600)
    }

    /// Goal: each line of a recipe in the guide is also in this file.
    @Test func theGuideHasTheseRecipes() throws {
        func lines(_ text: some StringProtocol) -> [String] {
            text.split(separator: "\n").map { String($0).trimmingCharacters(in: .whitespaces) }
        }
        let docs = URL(filePath: #filePath).appending(path: "../../../../docs/any-device.md").standardized
        let code = Set(lines(try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)))
        let page = try String(contentsOf: docs, encoding: .utf8)
        let recipes = try #require(
            page.components(separatedBy: "## Recipes\n").last?.components(separatedBy: "\n## ").first
        )
        let blocks = recipes.matches(of: /```swift\n((?:.|\n)*?)```/).flatMap { lines($0.output.1) }
        #expect(blocks.count > 30)
        for line in blocks { #expect(code.contains(line), "GuideTests lacks the line of a recipe: \(line)") }
    }
}

extension AppUnderTest {
    fileprivate static var run: AppUnderTest { AppUnderTest("com.example.Run", object: { RunTracker(nil) }) }
}

internal import Foundation
internal import WhereaboutsLocationTesting

@testable internal import VirtualApps

/// Goal: code of an app that asks whether it runs on the main thread, or on a queue, gets the answer of a real device.
@Suite(.showsTimelines) struct ThreadTests {
    private let device = VirtualDevice()

    @Test func codeOfTheMainActorIsOnTheMainThread() throws {
        let app = self.device.install(AppUnderTest("com.example.Threads", object: { WhereItRuns() }))
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.advance(by: .seconds(10))
        app.read { (it: WhereItRuns) in it.note("read") }
        let isMain = try #require(app.read { (it: WhereItRuns) in it.isMain })
        let parts = ["init", "task", "main queue", "later", "main operation queue", "delegate", "read"]
        for part in parts { #expect(isMain[part] == [true, true], "\(part)") }
        #expect(isMain["detached"] == [false, false])
        #expect(isMain["own queue"] == Array(repeating: false, count: 5))
        #expect(isMain.count == parts.count + 2)
    }

    /// The library's answer ends with the app's job; then the thread belongs to the test again.
    @Test func theTestsThreadIsTheSystems() {
        let before = Thread.isMainThread
        let app = self.device.install(AppUnderTest("com.example.Threads", object: { WhereItRuns() }))
        self.device.person.open(app)
        self.device.advance(by: .seconds(1))
        #expect(Thread.isMainThread == before)
    }
}

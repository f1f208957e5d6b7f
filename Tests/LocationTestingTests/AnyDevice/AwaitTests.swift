internal import CoreLocation
internal import Foundation
internal import Synchronization
internal import Testing

@testable internal import WhereaboutsLocationTesting

/// Tests for the names of the awaits at which an event struck.
@Suite struct AwaitTests {
    private struct Torn: Error {}

    private static var guide: String {
        get throws {
            let docs = URL(filePath: #filePath).appending(path: "../../../../docs/any-device.md").standardized
            return try String(contentsOf: docs, encoding: .utf8)
        }
    }

    /// Returns a body that fails if the app ended between the two steps of a draft.
    private static func body(
        _ make: @escaping @MainActor @Sendable () -> AnyObject
    ) -> @Sendable (VirtualDevice) throws -> Void {
        { device in
            let app = device.install(AppUnderTest("com.example.Draft", object: { Draft(make()) }))
            device.world.walk(for: .seconds(3600))
            device.person.answersAll(.allowWhileUsing)
            device.person.open(app)
            device.advance(by: .seconds(60))
            device.person.open(app)
            device.advance(by: .seconds(60))
            if app.read({ (draft: Draft) in draft.isWhole }) == false { throw Torn() }
        }
    }

    /// Goal: the report names the element that the app waited for when it was ended, however early the reduced story
    /// ends it.
    @Test func theElementIsNamedAfterAShrink() async throws {
        let story = Story([
            .init(at: .seconds(1), .lowPowerMode(for: .seconds(5))),
            .init(at: .seconds(2), .quirk(.endsSecondLoop)),
            .init(at: .seconds(20), .terminate("com.example.Draft")),
            .init(at: .seconds(21), .moveClock(by: .seconds(60))),
        ])
        let failure = try #require(await AnyDevice(seeds: 1).shrink(story, Self.body { Follower() }))
        #expect(failure.identity == "throwing Torn()" && failure.story.events.count == 1 && failure.runsToShrink > 1)
        let event = try #require(failure.story.events.first)
        let element = Follower.elements.withLock { $0 } + 1
        let line =
            "\(Timeline.clock(event.time))  .terminate(\"com.example.Draft\") struck com.example.Draft at element "
            + "\(element) of CLLocationUpdate.liveUpdates()"
        #expect(failure.awaits == [line])
        #expect(failure.report(of: "draft()").contains("\n\nAwaits:\n\(line)\n\nTimeline:\n"))
        #expect(try Self.guide.contains("\nAwaits:\n\(line)\n"), "\(line)")
    }

    /// Goal: a delegate request that the app awaits with a continuation is named by the request and its number.
    @Test func theCallIsNamed() async throws {
        let exploration = await AnyDevice(seeds: 100).exploreAwaits(of: "com.example.Draft", Self.body { Asker() })
        let failure = try #require(exploration.failure)
        let line = failure.awaits.joined(separator: "\n")
        #expect(line.hasSuffix(" struck com.example.Draft at requestLocation(), 2nd call") && !line.contains("\n"))
        #expect(try Self.guide.contains("\n\(line)\n"), "\(line)")
        #expect(exploration.coverage.awaits["requestLocation()"] ?? 0 > 1)
        #expect(exploration.coverage.description.contains("\nAwaits struck: "))
    }

    /// An app that saves a draft in two steps.
    @MainActor private final class Draft {
        private let work: AnyObject

        init(_ work: AnyObject) { self.work = work }

        var isWhole: Bool {
            UserDefaults.standard.bool(forKey: "title") == UserDefaults.standard.bool(forKey: "text")
        }

        static func save(_ key: String) { UserDefaults.standard.set(true, forKey: key) }
        static var isBegun: Bool { UserDefaults.standard.bool(forKey: "title") }
    }

    /// Saves the first step at its third location, and the second step at its 25th.
    @MainActor private final class Follower {
        /// The number of elements that the newest run received.
        nonisolated static let elements = Mutex(0)

        init() {
            guard !Draft.isBegun else { return }
            Self.elements.withLock { $0 = 0 }
            Task {
                var places = 0
                for try await update in CLLocationUpdate.liveUpdates() {
                    Self.elements.withLock { $0 += 1 }
                    if update.location != nil { places += 1 }
                    if places == 3 { Draft.save("title") }
                    if places == 25 { Draft.save("text") }
                }
            }
        }
    }

    /// Saves the first step after its first request, and the second step after its second.
    @MainActor private final class Asker: NSObject, @MainActor CLLocationManagerDelegate {
        private let manager = CLLocationManager()
        private let session = CLServiceSession(authorization: .whenInUse)
        private var continuation: CheckedContinuation<Void, Never>?

        override init() {
            super.init()
            guard !Draft.isBegun else { return }
            self.manager.delegate = self
            Task {
                await self.locate()
                Draft.save("title")
                await self.locate()
                Draft.save("text")
            }
        }

        private func locate() async {
            await withCheckedContinuation { continuation in
                self.continuation = continuation
                self.manager.requestLocation()
            }
        }

        private func isAnswered() {
            self.continuation?.resume()
            self.continuation = nil
        }

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            self.isAnswered()
        }

        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) { self.isAnswered() }
    }

    // MARK: The log

    @Test func elementsAndCallsAreCounted() {
        var awaits = AppAwaits()
        /// Runs the next job of a task, which makes a call.
        func run(_ job: Int, _ task: UInt64, _ call: String?, loop: UInt64? = nil, sleeper: UInt64? = nil) -> String? {
            if let call { awaits.begins(call, loop: loop, in: job, of: 1) }
            return awaits.jobDidRun(job, of: task, sleeper: sleeper, in: 1)?.description
        }
        #expect(run(1, 7, nil) == nil)
        #expect(run(2, 7, "events", loop: 40) == "element 1 of events")
        #expect(run(3, 8, "events", loop: 41) == "element 1 of events, 2nd loop")
        #expect(run(4, 7, nil) == "after element 1 of events")
        #expect(run(5, 7, "events", loop: 40) == "element 2 of events")
        for number in 1...10 { _ = run(5 + number, 9, "ask()") }
        #expect(run(16, 9, "ask()") == "ask(), 11th call")
        #expect(run(17, 9, "ask()", sleeper: 10) == "\(AppAwaits.sleep), 1st call")
        #expect(run(18, 10, nil) == "after \(AppAwaits.sleep), 1st call")
        #expect(
            awaits.open.map(\.description) == [
                "element 1 of events, 2nd loop", "element 2 of events", "\(AppAwaits.sleep), 1st call",
            ]
        )
    }

    /// Goal: calls are counted over launches, and awaits of an ended launch are closed.
    @Test func aLaunchEndsAllAwaits() {
        var awaits = AppAwaits()
        awaits.begins("events", loop: 40, in: 1, of: 1)
        _ = awaits.jobDidRun(1, of: 7, sleeper: nil, in: 1)
        awaits.begins("events", loop: 40, in: 2, of: 2)
        #expect(awaits.open == [])
        let place = awaits.jobDidRun(2, of: 7, sleeper: nil, in: 2)
        #expect(place?.description == "element 1 of events, 2nd loop")
    }

    /// Goal: a loop that waits long is not dropped when many short tasks run.
    @Test func theTasksAreLimited() {
        var awaits = AppAwaits()
        awaits.begins("events", loop: 40, in: 0, of: 1)
        _ = awaits.jobDidRun(0, of: 0, sleeper: nil, in: 1)
        for task in UInt64(1)...1000 {
            awaits.begins("ask()", loop: nil, in: Int(task), of: 1)
            _ = awaits.jobDidRun(Int(task), of: task, sleeper: nil, in: 1)
            _ = awaits.jobDidRun(Int(task) + 1, of: task, sleeper: nil, in: 1)
        }
        #expect(awaits.open.map(\.description) == ["element 1 of events"])
        for task in UInt64(1001)...2000 {
            awaits.begins("ask()", loop: nil, in: Int(task), of: 1)
            _ = awaits.jobDidRun(Int(task), of: task, sleeper: nil, in: 1)
        }
        #expect(awaits.open.count == 64 && awaits.open.last?.description == "ask(), 2000th call")
    }
}

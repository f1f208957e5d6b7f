internal import CoreLocation
internal import Foundation
internal import Testing

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

/// Tests for two devices with a common time and a server.
@Suite(.showsTimelines) struct CompanionTests {
    private let alice = VirtualDevice()
    private let bob: VirtualDevice

    init() {
        self.bob = self.alice.makeCompanion(at: Reminders.shop)
    }

    private func recording(on device: VirtualDevice) -> VirtualApp {
        let app = device.install(.workout)
        device.person.answersAll(.allowWhileUsing)
        device.person.open(app)
        return app
    }

    @Test func timePassesForBoth() throws {
        let apps = [self.recording(on: self.alice), self.recording(on: self.bob)]
        self.alice.advance(by: .seconds(30))
        #expect(self.bob.now == .seconds(30) && apps.allSatisfy(\.isServed))
        self.bob.run(until: "both have a minute") { apps.allSatisfy { $0.positionsGiven > 60 } }
        #expect(self.alice.now == self.bob.now)
        let places = try apps.map { try #require($0.lastPlaceGiven) }
        for (place, device) in zip(places, [self.alice, self.bob]) {
            let truth = CLLocation(latitude: device.world.place.latitude, longitude: device.world.place.longitude)
            #expect(truth.distance(from: CLLocation(latitude: place.latitude, longitude: place.longitude)) < 50)
        }
    }

    /// Each device has its own person, power and files.
    @Test func eachHasItsPersonItsPowerAndItsFiles() {
        let apps = [self.recording(on: self.alice), self.recording(on: self.bob)]
        self.alice.advance(by: .seconds(30))
        self.bob.person.set(apps[1], to: .never)
        self.alice.advance(by: .seconds(5))
        #expect(apps[0].isServed && !apps[1].isServed)
        #expect(self.alice.timeline.entries(of: "person").count { $0.text.contains("sets") } == 0)
        self.alice.reboot()
        #expect(apps[0].state == .notRunning && apps[1].state == .foreground)
        self.bob.advance(by: .seconds(60))
        #expect(apps[0].launches == 2 && apps[1].launches == 1)
    }

    @Test func eachHasItsClockAndItsDefaults() throws {
        let notes = [self.alice, self.bob].map { device in
            device.install(AppUnderTest("com.example.Notes", object: { Notes() }))
        }
        self.alice.person.open(notes[0])
        self.bob.person.open(notes[1])
        notes[0].read { (it: Notes) in it.keep("Alice") }
        self.bob.moveClock(by: .seconds(3600))
        self.alice.advance(by: .seconds(100))
        #expect(notes.map { $0.read { (it: Notes) in it.kept } ?? "nothing" } == ["Alice", "nothing"])
        let dates = try notes.map { try #require($0.read { (it: Notes) in Date() }) }
        #expect(abs(dates[1].timeIntervalSince(dates[0]) - 3600) < 0.01)
        // This also holds in unstructured tasks.
        let ticks = try notes.map { try #require($0.read { (it: Notes) in it.tick }) }
        #expect(abs(ticks[1].timeIntervalSince(ticks[0]) - 3600) < 0.01)
    }

    /// A friend's app asks the server, which pushes to the device with the token and forwards the answer.
    @Test func aFriendIsAnsweredByTheOtherDevice() throws {
        let post = PostOffice()
        let answers = Answers()
        let alices = self.alice.install(.friends(answers))
        self.alice.person.answersAll(.allowAlways)
        self.alice.person.open(alices)
        self.alice.run(until: "Alice's app has its token") { alices.read { (it: Friends) in it.token } != nil }
        let bobs = self.bob.install(.friends(Answers()))
        self.bob.person.answersAll(.allowAlways)
        self.bob.person.open(bobs)
        self.bob.run(until: "Bob's app has its token") { bobs.read { (it: Friends) in it.token } != nil }
        let tokens = try [alices, bobs].map { try #require($0.read { (it: Friends) in it.token }) }
        #expect(tokens[0] != tokens[1])

        let asker = self.bob.install(AppUnderTest("com.example.Asker", object: { Asker(post, answers, tokens[0]) }))
        self.bob.person.open(asker)
        self.bob.run(until: "Bob knows where Alice is", within: .seconds(60)) {
            asker.read { (it: Asker) in it.found } != nil
        }
        let found = try #require(asker.read { (it: Asker) in it.found })
        let place = self.alice.world.place
        #expect(found.distance(from: CLLocation(latitude: place.latitude, longitude: place.longitude)) < 100)
        #expect(self.bob.timeline.entries(of: "pushes").isEmpty)
        // Bob's airplane mode does not affect Alice.
        self.bob.person.switchAirplaneMode(on: true)
        let pushed = try self.alice.push(to: alices)
        self.alice.advance(by: .seconds(30))
        guard case .completed = pushed.outcome else {
            Issue.record("\(pushed.outcome)")
            return
        }
    }

    private func token(on device: VirtualDevice) throws -> Data {
        let app = device.install(.friends(Answers()))
        device.person.answersAll(.allowAlways)
        device.person.open(app)
        device.run(until: "the app has its token") { app.read { (it: Friends) in it.token } != nil }
        return try #require(app.read { (it: Friends) in it.token })
    }

    /// Goal: two companions never have the same push token, also when a device between them is gone.
    @Test func aLaterCompanionHasAnotherToken() throws {
        var carol: VirtualDevice? = self.alice.makeCompanion(at: Reminders.shop)
        let dave = self.alice.makeCompanion(at: Reminders.shop)
        #expect(carol?.now == dave.now)
        carol = nil
        let erin = self.alice.makeCompanion(at: Reminders.shop)
        #expect(try self.token(on: dave) != self.token(on: erin))
    }

    @Test func aProblemOfACompanionIsTold() {
        let app = self.bob.install(AppUnderTest("com.example.Hanging", main: Hangs.asleep))
        withKnownIssue {
            self.alice.advance(by: .seconds(1))
            self.bob.person.open(app)
        } matching: {
            $0.comments.contains { $0.rawValue.contains("com.example.Hanging") }
        }
    }
}

/// The server, which knows only a token.
private actor PostOffice {
    /// Pushes to a device, and waits for its answer.
    func ask(_ token: Data, _ answers: Answers) async throws -> CLLocation? {
        let before = answers.locations.count
        _ = try VirtualNetwork.push(Data("{}".utf8), to: token)
        for _ in 0..<30 where answers.locations.count == before { try await Task.sleep(for: .seconds(1)) }
        return answers.locations.count > before ? answers.locations.last : nil
    }
}

@MainActor private final class Asker {
    private(set) var found: CLLocation?

    nonisolated init(_ post: PostOffice, _ answers: Answers, _ token: Data) {
        Task { @MainActor in
            self.found = try await VirtualNetwork.reach { try await post.ask(token, answers) }
        }
    }
}

@MainActor private final class Notes {
    private(set) var tick = Date.distantPast

    nonisolated init() {
        Task { @MainActor in
            while true {
                self.tick = Date()
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    var kept: String { UserDefaults.standard.string(forKey: "note") ?? "nothing" }

    func keep(_ note: String) { UserDefaults.standard.set(note, forKey: "note") }
}

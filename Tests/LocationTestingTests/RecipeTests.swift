internal import CoreLocation
internal import LocationTesting
internal import Testing

@testable internal import VirtualApps

/// The recipes of the guide, as an app's developer writes them.
@Suite(.showsTimelines) struct RecipeTests {
    private let device = VirtualDevice()

    @Test func myAppRecordsOnceThePersonAllows() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.world.walk(for: .seconds(600))
        self.device.run(until: "it records") { app.read { (workout: Workout) in workout.phase } == .recording }
        self.device.advance(by: .seconds(600))
        #expect(app.read { (workout: Workout) in workout.distance > 300 } == true)
    }

    @Test func myAppStopsWhenThePersonDenies() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.dontAllow)
        self.device.person.open(app)
        self.device.run(until: "it stops") { app.read { (workout: Workout) in workout.phase } == .stopped }
    }

    @Test func myExtensionAnswersWithinItsTime() throws {
        let answers = Answers()
        let app = self.device.install(.friends(answers))
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.run(until: "it has its token") { app.read { (friends: Friends) in friends.token != nil } == true }
        self.device.person.close(app)
        self.device.advance(by: .seconds(3600))
        let push = try self.device.push(["request": 7], to: app)
        self.device.advance(by: .seconds(30))
        #expect(push.outcome == .completed(after: .seconds(1)))
        #expect(answers.locations.count == 1)
        #expect(app.state == .notRunning)
    }
}

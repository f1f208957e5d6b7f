internal import CoreLocation
internal import WhereaboutsLocationTesting

@testable internal import VirtualApps

/// The guide's recipes, as an app's developer writes them.
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

    @Test func myWorkoutSurvivesTermination() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.world.walk(for: .seconds(7200))
        self.device.person.open(app)
        self.device.run(until: "it records") { app.isServed }
        self.device.person.leave(app)
        self.device.advance(by: .seconds(600))
        #expect(app.isServed && app.showsIndicator)
        app.terminate()
        self.device.run(until: "it is launched again and records") { app.launches == 2 && app.isServed }
    }

    @Test func myAppCopesWithApproximateLocation() {
        let app = self.device.install(.weather)
        self.device.person.answersAll(.allowApproximate)
        self.device.person.open(app)
        self.device.run(until: "it has an approximate place") { app.positionsGiven > 0 }
        #expect(app.read { (weather: Weather) in weather.isApproximate } == true)
        #expect(app.read { (weather: Weather) in weather.place?.latitude } != self.device.world.place.latitude)
    }

    @Test func myAppSaysWhenThereIsNoSignal() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.run(until: "it records") { app.isServed }
        self.device.world.loseSignal(for: .seconds(120))
        self.device.run(until: "it says so") { app.read { (workout: Workout) in workout.hasSignal } == false }
        self.device.run(until: "it goes on") { app.read { (workout: Workout) in workout.hasSignal } == true }
    }

    @Test func myAppSurvivesARestartOfTheLocationService() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.world.walk(for: .seconds(7200))
        self.device.person.open(app)
        self.device.run(until: "it records") { app.isServed }
        self.device.restartLocationService(downFor: .seconds(30))
        self.device.run(until: "it says so") { app.read { (workout: Workout) in workout.hasSignal } == false }
        self.device.run(until: "it goes on") { app.read { (workout: Workout) in workout.hasSignal } == true }
    }

    @Test func myAppBearsWhatTheFieldDoes() {
        let app = self.device.install(.workout)
        self.device.person.answersAll(.allowWhileUsing)
        self.device.quirks = [.replaysLastPlace, .repeatsUpdates]
        self.device.person.open(app)
        self.device.run(until: "it records") { app.isServed }
        self.device.world.stray(
            to: CLLocationCoordinate2D(latitude: 0, longitude: 0),
            after: .seconds(60),
            for: .seconds(1)
        )
        self.device.advance(by: .seconds(50))
        #expect(app.read { (workout: Workout) in workout.distance < 1000 } == true)
        self.device.advance(by: .seconds(250))
        // The workout accepts every position: a bug that this test finds.
        #expect(app.read { (workout: Workout) in workout.distance > 1_000_000 } == true)
    }

    @Test func myGeofenceFiresOnce() {
        let app = self.device.install(.reminders)
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.world.go(to: Reminders.shop, at: 1.4)
        self.device.world.stay(for: .seconds(3600))
        self.device.world.stray(
            to: CLLocationCoordinate2D(latitude: 53.55, longitude: 9.9),
            after: .seconds(1800),
            for: .seconds(1)
        )
        self.device.advance(by: .seconds(4000))
        #expect(app.read { (reminders: Reminders) in reminders.reminders } == 1)
    }

    @Test func myAppComesBackForAnArrival() {
        let app = self.device.install(.reminders)
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.advance(by: .seconds(60))
        self.device.person.leave(app)
        app.terminate()
        self.device.world.go(to: Reminders.shop, at: 1.4)
        self.device.run(until: "it reminds", within: .seconds(1200)) {
            app.launches == 2 && app.read { (reminders: Reminders) in reminders.reminders } == 1
        }
    }

    @Test func myDiaryHasEachStayOnce() {
        let app = self.device.install(.diary)
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.advance(by: .seconds(60))
        self.device.person.leave(app)
        app.terminate()
        self.device.world.stay(for: .seconds(3600))
        self.device.world.go(to: Reminders.shop, at: 1.4)
        self.device.world.stay(for: .seconds(3600))
        self.device.run(until: "it wrote both stays down", within: .seconds(9000)) {
            app.state != .notRunning
                && app.read { (diary: Diary) in diary.entries } == ["arrived", "departed", "arrived"]
        }
    }

    @Test func myGuideKnowsTheRoom() {
        let app = self.device.install(.museumGuide)
        self.device.person.answersAll(.allowAlways)
        let hall = CLLocationCoordinate2D(latitude: 53.5533, longitude: 9.9922)
        self.device.world.beacons = [PlacedBeacon(uuid: MuseumGuide.museum, major: 1, minor: 2, at: hall)]
        self.device.person.open(app)
        self.device.world.go(to: hall, at: 1.4)
        self.device.run(until: "it is in the hall") { app.read { (guide: MuseumGuide) in guide.rooms } == [2] }
        self.device.world.beacons = []
        self.device.run(until: "it is out") { app.read { (guide: MuseumGuide) in guide.visits } == ["in 1", "out"] }
    }

    @Test func myReminderSurvivesAReboot() {
        let app = self.device.install(.reminders)
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.advance(by: .seconds(60))
        self.device.reboot()
        self.device.advance(by: .seconds(60))
        #expect(app.launches == 1)
        self.device.world.go(to: Reminders.shop, at: 1.4)
        self.device.run(until: "it reminds", within: .seconds(1200)) {
            app.launches == 2 && app.read { (reminders: Reminders) in reminders.reminders } == 1
        }
    }

    @Test func myTrackerRunsOnAManagedBox() {
        let tracker = self.device.install(.weather)
        self.device.owner.manage(
            Management(apps: [tracker.bundleIdentifier: .init(isHeadless: true, answer: .always())])
        )
        tracker.launchInBackground()
        self.device.run(until: "it is served, and nobody was asked") { tracker.isServed }
        #expect(self.device.person.question == nil)
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

/// The same tests on apps with a bug find each of them.
@Suite(.showsTimelines) struct SeededBugTests {
    private let device = VirtualDevice()

    @Test func aSessionThatIsNotHeldIsFound() {
        let app = self.device.install(AppUnderTest("com.example.careless", object: { CarelessWorkout() }))
        self.device.person.answersAll(.allowWhileUsing)
        self.device.person.open(app)
        self.device.run(until: "it records") { app.isServed }
        self.device.person.leave(app)
        self.device.advance(by: .seconds(60))
        app.terminate()
        withKnownIssue {
            self.device.run(until: "it is launched again and records") { app.launches == 2 && app.isServed }
        } matching: {
            $0.comments.contains { $0.rawValue.contains("no app runs") }
        }
    }

    @Test func aDiagnosticThatIsIgnoredIsFound() {
        let app = self.device.install(AppUnderTest("com.example.careless", object: { CarelessWorkout() }))
        self.device.person.answersAll(.dontAllow)
        self.device.person.open(app)
        withKnownIssue {
            self.device.run(until: "it stops") { app.read { (it: CarelessWorkout) in it.isRecording } == false }
            self.device.advance(by: .seconds(10))
            #expect(app.read { (it: CarelessWorkout) in it.isRecording } == false)
        }
    }

    @Test func anExtensionThatOverrunsIsFound() throws {
        let app = self.device.install(.overrunning)
        self.device.person.answersAll(.allowAlways)
        self.device.person.open(app)
        self.device.advance(by: .seconds(30))
        let push = try self.device.push(to: app)
        self.device.advance(by: .seconds(60))
        #expect(push.outcome == .abandoned)
    }
}

import Testing
import WhereaboutsLocationTesting
import Workout

@Suite(.showsTimelines) struct WorkoutTests {
    @Test func aWorkoutCountsOncePeopleLetIt() {
        let device = VirtualDevice()
        let app = device.install(AppUnderTest("com.example.Workout", object: { Workout() }))
        device.person.answersAll(.allowWhileUsing)
        device.person.open(app)
        device.run(until: "it counts") { app.read { (workout: Workout) in workout.count > 5 } == true }
    }
}

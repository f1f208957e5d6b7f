internal import CoreLocation
internal import LocationTesting

@testable internal import VirtualApps

extension AppUnderTest {
    static let workout = AppUnderTest("com.example.Workout", object: { Workout() })

    static func friends(_ answers: Answers) -> AppUnderTest {
        AppUnderTest(
            "com.example.Friends",
            pushExtension: { FriendsPushService(answers: answers) },
            object: { Friends() }
        )
    }
}

internal import CoreLocation
internal import WhereaboutsLocationTesting

@testable internal import VirtualApps

extension AppUnderTest {
    static let workout = AppUnderTest("com.example.Workout", object: { Workout() })
    static let weather = AppUnderTest("com.example.Weather", object: { Weather() })
    static let overrunning = AppUnderTest(
        "com.example.Friends",
        pushExtension: { OverrunningPushService() },
        object: { Friends() }
    )

    static func friends(_ answers: Answers) -> AppUnderTest {
        AppUnderTest(
            "com.example.Friends",
            pushExtension: { FriendsPushService(answers: answers) },
            object: { Friends() }
        )
    }
}

extension AppUnderTest {
    static let reminders = AppUnderTest("com.example.Reminders", object: { Reminders() })
    static let museumGuide = AppUnderTest("com.example.Museum", object: { MuseumGuide() })
    static let diary = AppUnderTest("com.example.Diary", object: { Diary() })
    static let carelessReminders = AppUnderTest("com.example.Careless", object: { CarelessReminders() })
}

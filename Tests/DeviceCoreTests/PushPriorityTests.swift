internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// A provider's priority and the device's name of it: there and back, in the same order.
@Suite struct PushPriorityTests {
    @Test(arguments: Priority.allCases) func eachIsTheSameThereAndBack(_ priority: Priority) {
        #expect(Push.Priority(priority).apns == priority)
    }

    @Test func theUrgentOneIsTheGreaterNumber() {
        #expect(Push.Priority.allCases.sorted().map(\.apns.rawValue) == [1, 5, 10])
    }
}

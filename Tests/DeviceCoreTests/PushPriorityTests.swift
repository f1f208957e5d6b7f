internal import Testing
internal import WhereaboutsAPNS
internal import WhereaboutsDeviceCore
internal import WhereaboutsLocationEngine

/// Tests for the mapping between a provider's priority and the device's: both directions keep the order.
@Suite struct PushPriorityTests {
    @Test(arguments: Priority.allCases) func eachIsTheSameThereAndBack(_ priority: Priority) {
        #expect(Push.Priority(priority).apns == priority)
    }

    @Test func theUrgentOneIsTheGreaterNumber() {
        #expect(Push.Priority.allCases.sorted().map(\.apns.rawValue) == [1, 5, 10])
    }
}

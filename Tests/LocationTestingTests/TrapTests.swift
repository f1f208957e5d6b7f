internal import CoreLocation
internal import WhereaboutsLocationTesting

/// Goal: a test with an impossible value stops at that line, instead of continuing in another world.
@Suite struct TrapTests {
    private static let pier = CLLocationCoordinate2D(latitude: 53.54585, longitude: 9.96640)

    @Test func aWorldWithoutSpeedAccuracyOrDuration() async {
        await #expect(processExitsWith: .failure) { VirtualDevice().world.go(to: TrapTests.pier, at: 0) }
        await #expect(processExitsWith: .failure) { VirtualDevice().world.go(to: TrapTests.pier, at: .infinity) }
        await #expect(processExitsWith: .failure) { VirtualDevice().world.go(to: TrapTests.pier, at: 1e-9) }
        await #expect(processExitsWith: .failure) {
            VirtualDevice().world.go(to: CLLocationCoordinate2D(latitude: 91, longitude: 0), at: 1)
        }
        await #expect(processExitsWith: .failure) { VirtualDevice().world.accuracy = 0 }
        await #expect(processExitsWith: .failure) {
            VirtualDevice().world.canyon(to: TrapTests.pier, at: 1, accuracy: 0)
        }
        await #expect(processExitsWith: .failure) { VirtualDevice().world.loseAccuracy(to: 0, for: .seconds(1)) }
        await #expect(processExitsWith: .failure) {
            VirtualDevice().world.stray(to: TrapTests.pier, after: .seconds(-1), for: .seconds(1))
        }
        await #expect(processExitsWith: .failure) { VirtualDevice().world.flicker(every: .zero) }
    }

    @Test func timeThatGoesBackwards() async {
        await #expect(processExitsWith: .failure) { VirtualDevice().advance(by: .seconds(-1)) }
        await #expect(processExitsWith: .failure) {
            VirtualDevice().restartLocationService(downFor: .seconds(-1))
        }
    }

    @Test func aPushThatComesTooEarlyOrTooOften() async {
        await #expect(processExitsWith: .failure) { _ = LocationPush.Fate(delay: .seconds(-1)) }
        await #expect(processExitsWith: .failure) { _ = LocationPush.Fate(copies: 17) }
    }
}

internal import CoreLocation
internal import Glibc
internal import Testing

@testable internal import VirtualApps
@testable internal import WhereaboutsLocationTesting

/// Goal: code that blocks a virtual device forever ends the test process, with a message that says why.
@Suite struct WatchdogTests {
    private static func isImpatient() {
        let patience = Watchdog.Patience(
            tick: .milliseconds(20),
            ticksBeforeWord: 5,
            ticksOfJob: 10,
            ticksOfStillness: 10
        )
        Watchdog.shared.set(patience)
    }

    private static func words(_ result: ExitTest.Result?) -> String {
        String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    }

    @Test func aJobWithoutAnEnd() async {
        let result = await #expect(processExitsWith: .signal(SIGTRAP), observing: [\.standardErrorContent]) {
            Self.isImpatient()
            let device = VirtualDevice()
            device.person.open(device.install(AppUnderTest("com.example.Hanging") { Hangs.onALock() }))
        }
        let words = Self.words(result)
        #expect(words.contains("one job of com.example.Hanging has run for"))
        #expect(words.contains("WatchdogTests.swift:"))
    }

    @Test func aTestThatAwaitsAnApp() async {
        let result = await #expect(processExitsWith: .signal(SIGTRAP), observing: [\.standardErrorContent]) {
            Self.isImpatient()
            let device = VirtualDevice()
            let app = device.install(AppUnderTest("com.example.Awaited", object: { Countdown() }))
            device.person.open(app)
            _ = await app.read { (it: Countdown) in it.end }?.value
        }
        let words = Self.words(result)
        #expect(words.contains("A test that awaits a task of an app waits forever: call advance(by:)"))
        #expect(words.contains("WatchdogTests.swift:"))
    }

    @Test func whoMovesTimeFirstMayAwait() async {
        let device = VirtualDevice()
        let app = device.install(AppUnderTest("com.example.Awaited", object: { Countdown() }))
        device.person.open(app)
        device.advance(by: .seconds(61))
        #expect(await app.read { (it: Countdown) in it.end }?.value == 0)
    }
}

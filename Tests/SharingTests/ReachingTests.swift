internal import Synchronization
internal import Testing

@testable internal import WhereaboutsSharing

/// Goal: a server that is unreachable for a night does not cause a thousand log lines.
struct ReachingTests {
    private final class Told: Sendable {
        let lines = Mutex<[String]>([])
    }

    @Test func eachTroubleIsToldOnceAndThatItIsOver() {
        let told = Told()
        let reaching = Reaching("https://host") { line in told.lines.withLock { $0.append(line) } }
        reaching.reached()
        for _ in 0..<100 { reaching.failed("it is away") }
        reaching.failed("it speaks no TLS")
        for _ in 0..<3 { reaching.reached() }
        reaching.failed("it is away")
        let again = "; trying again"
        let expected = ["it is away\(again)", "it speaks no TLS\(again)", "connected to https://host again"]
        #expect(told.lines.withLock { $0 } == expected + ["it is away\(again)"])
    }
}

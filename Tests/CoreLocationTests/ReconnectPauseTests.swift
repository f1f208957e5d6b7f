internal import Testing

@testable internal import CoreLocation

/// Tests for the pauses before a client reconnects.
@Suite struct ReconnectPauseTests {
    @Test func itDoublesUpToTwoSeconds() {
        var pause = ReconnectPause()
        let taken = (0..<8).map { _ in pause.take() / .milliseconds(1) }
        #expect(taken == [50, 100, 200, 400, 800, 1600, 2000, 2000])
    }

    @Test func onlyAGoodConnectionBeginsAnew() {
        var pause = ReconnectPause()
        for _ in 0..<3 { _ = pause.take() }
        pause.connectionEnded(after: .seconds(5))
        #expect(pause.take() == .milliseconds(400))
        pause.connectionEnded(after: .seconds(6))
        #expect(pause.take() == .milliseconds(50))
    }
}

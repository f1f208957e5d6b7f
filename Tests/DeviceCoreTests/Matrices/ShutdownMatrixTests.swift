internal import Testing
internal import WhereaboutsVocabulary

@testable internal import WhereaboutsDeviceCore

/// Tests for the shutdown of the service: every state with every input.
@Suite struct ShutdownMatrixTests {
    private enum Start: CaseIterable { case serving, ending, over }

    private static func shutdown(_ start: Start) -> Shutdown {
        var shutdown = Shutdown()
        if start != .serving { shutdown.began(now: second(0)) }
        if start == .over { _ = shutdown.ended() }
        return shutdown
    }

    @Test(arguments: Start.allCases) private func theStarts(_ start: Start) {
        let shutdown = Self.shutdown(start)
        switch start {
        case .serving: #expect(shutdown.state == .serving && !shutdown.hasBegun && shutdown.deadline == nil)
        case .ending:
            #expect(shutdown.state == .ending(until: second(3)) && shutdown.hasBegun && shutdown.deadline == second(3))
        case .over: #expect(shutdown.state == .over && shutdown.hasBegun && shutdown.deadline == nil)
        }
    }

    @Test(arguments: Start.allCases) private func began(_ start: Start) {
        var shutdown = Self.shutdown(start)
        let before = shutdown
        shutdown.began(now: second(10))
        switch start {
        case .serving: #expect(shutdown.state == .ending(until: second(13)))
        // A second shutdown order gives no more time.
        case .ending, .over: #expect(shutdown == before)
        }
    }

    @Test(arguments: Start.allCases) private func ended(_ start: Start) {
        var shutdown = Self.shutdown(start)
        let isNews = shutdown.ended()
        #expect(isNews == (start == .ending))
        #expect(shutdown.state == (start == .serving ? .serving : .over))
    }
}

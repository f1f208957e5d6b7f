internal import Dispatch
internal import Foundation
internal import Testing
internal import WhereaboutsHostSupport
internal import WhereaboutsVocabulary

/// Tests for the timer that counts the time during which a device sleeps.
@Suite(.timeLimit(.minutes(1))) struct BootTimerTests {
    private let queue = DispatchQueue(label: "boot-timer")

    /// The times at which a timer fires, by its own clock.
    private func timer() throws -> (timer: BootTimer, rings: AsyncStream<EngineInstant>) {
        let (rings, rang) = AsyncStream<EngineInstant>.makeStream()
        let timer = try #require(BootTimer(queue: self.queue) { rang.yield(.sinceBoot()) })
        return (timer, rings)
    }

    @Test func itRingsAtItsDeadlineAndOnce() async throws {
        let (timer, rings) = try self.timer()
        var next = rings.makeAsyncIterator()
        let first = timer.now.advanced(by: .milliseconds(30))
        timer.follow(first)
        let rang = await next.next()
        // A pending event would arrive before that of the second deadline.
        let second = timer.now.advanced(by: .milliseconds(30))
        timer.follow(second)
        let rangAgain = await next.next()
        #expect(try #require(rang) >= first && #require(rangAgain) >= second)
    }

    @Test func aDeadlineThatIsPastRingsAtOnce() async throws {
        let (timer, rings) = try self.timer()
        var next = rings.makeAsyncIterator()
        timer.follow(EngineInstant(sinceStart: .zero))
        let rang = await next.next()
        #expect(rang != nil)
    }

    @Test func aTimerThatIsTakenBackDoesNotRing() async throws {
        let (timer, rings) = try self.timer()
        let (other, otherRings) = try self.timer()
        var next = rings.makeAsyncIterator()
        var otherNext = otherRings.makeAsyncIterator()
        timer.follow(timer.now.advanced(by: .milliseconds(20)))
        timer.follow(nil)
        other.follow(other.now.advanced(by: .milliseconds(60)))
        let later = await otherNext.next()
        // From now on, the first event is that of the deadline.
        let deadline = timer.now.advanced(by: .milliseconds(20))
        timer.follow(deadline)
        let rang = await next.next()
        #expect(try #require(rang) >= deadline && #require(later) < deadline)
    }

    /// Goal: the timer uses the clock that counts sleep, not an event loop's clock.
    @Test func theClockIsTheKernelsOwn() throws {
        let uptime = try #require(Double(String(contentsOfFile: "/proc/uptime", encoding: .utf8).prefix { $0 != " " }))
        #expect(abs(EngineInstant.sinceBoot().sinceStart / .seconds(1) - uptime) < 5)
    }
}

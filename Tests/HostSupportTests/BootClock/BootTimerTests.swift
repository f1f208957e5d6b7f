internal import Dispatch
internal import Foundation
internal import Testing
internal import WhereaboutsHostSupport
internal import WhereaboutsVocabulary

/// The timer of what goes on while a device sleeps.
@Suite(.timeLimit(.minutes(1))) struct BootTimerTests {
    private let queue = DispatchQueue(label: "boot-timer")

    /// The instants at which a timer rings, by its own clock.
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
        // A ring that is left over would come before that of the second deadline.
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
        // The first ring that it has is that of the deadline from now on.
        let deadline = timer.now.advanced(by: .milliseconds(20))
        timer.follow(deadline)
        let rang = await next.next()
        #expect(try #require(rang) >= deadline && #require(later) < deadline)
    }

    /// Goal: the clock is the one that counts sleep, not an event loop's.
    @Test func theClockIsTheKernelsOwn() throws {
        let uptime = try #require(Double(String(contentsOfFile: "/proc/uptime", encoding: .utf8).prefix { $0 != " " }))
        #expect(abs(EngineInstant.sinceBoot().sinceStart / .seconds(1) - uptime) < 5)
    }
}

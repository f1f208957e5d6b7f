internal import NIOCore
internal import NIOEmbedded
internal import Testing
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// Goal: the timer fires at a deadline or earlier, and is set again only for an earlier one.
@Suite struct DeadlineTimerTests {
    /// A timer on an event loop with a controlled time, and the times at which it fired.
    private final class Bench {
        let loop = EmbeddedEventLoop()
        private(set) var rings: [Duration] = []
        private var time: Duration = .zero
        private(set) lazy var timer = DeadlineTimer(self.loop) { [unowned self] in self.rings.append(self.time) }

        func follow(_ seconds: Int?) {
            self.timer.follow(seconds.map { EngineInstant(sinceStart: .seconds($0)) })
        }

        /// Lets seconds pass, one by one.
        func pass(_ seconds: Int) {
            for _ in 0..<seconds {
                self.time += .seconds(1)
                self.loop.advanceTime(by: .seconds(1))
            }
        }
    }

    @Test func itRingsAtItsDeadlineOnce() {
        let bench = Bench()
        bench.follow(3)
        bench.pass(2)
        #expect(bench.rings == [])
        // A deadline is rounded up by a nanosecond.
        bench.pass(10)
        #expect(bench.rings == [.seconds(4)])
    }

    @Test func anEarlierDeadlineTakesThePlaceOfALaterOne() {
        let bench = Bench()
        bench.follow(30)
        bench.follow(10)
        bench.pass(60)
        #expect(bench.rings == [.seconds(11)])
    }

    @Test func aLaterDeadlineWaitsForTheTimer() {
        let bench = Bench()
        bench.follow(10)
        bench.follow(30)
        bench.pass(20)
        #expect(bench.rings == [.seconds(11)])
        bench.follow(30)
        bench.pass(20)
        #expect(bench.rings == [.seconds(11), .seconds(31)])
    }

    @Test func noneIsSetAnyMoreOnceThereIsNoDeadline() {
        let bench = Bench()
        bench.follow(3)
        bench.follow(nil)
        bench.pass(10)
        #expect(bench.rings == [])
        bench.follow(12)
        bench.pass(10)
        #expect(bench.rings == [.seconds(13)])
    }
}

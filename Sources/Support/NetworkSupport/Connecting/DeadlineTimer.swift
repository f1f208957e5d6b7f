package import NIOCore
package import WhereaboutsVocabulary

/// The timer of a machine whose deadline moves with almost every input, on the event loop's clock (`CLOCK_MONOTONIC`, which stands still while
/// the machine sleeps): for servers, and for anyone who has thousands of links.
///
/// It is set again only for an earlier deadline. A later one waits for the timer, which then rings too early, as machines
/// allow: a link that receives something every second sets one timer in three keepalive intervals.
package final class DeadlineTimer: Alarm {
    private let eventLoop: NIOIsolatedEventLoop
    private let reached: () -> Void
    private var ringing: (at: EngineInstant, task: Scheduled<Void>)?

    /// Creates a timer that is not set.
    ///
    /// - Parameters:
    ///   - eventLoop: the loop on which everything here happens.
    ///   - reached: feeds the machine, and calls ``follow(_:)`` afterwards.
    package init(_ eventLoop: any EventLoop, reached: @escaping () -> Void) {
        self.eventLoop = eventLoop.assumeIsolated()
        self.reached = reached
    }

    package var now: EngineInstant { .onEventLoop() }

    package func follow(_ deadline: EngineInstant?) {
        if let deadline, let ringing, ringing.at <= deadline { return }
        self.ringing?.task.cancel()
        self.ringing = nil
        guard let deadline else { return }
        let task = self.eventLoop.scheduleTask(deadline: NIODeadline(deadline)) {
            self.ringing = nil
            self.reached()
        }
        self.ringing = (deadline, task)
    }
}

extension EngineInstant {
    /// The time on the clock of event loops.
    package static func onEventLoop() -> EngineInstant {
        EngineInstant(sinceStart: .nanoseconds(Int64(NIODeadline.now().uptimeNanoseconds)))
    }
}

extension NIODeadline {
    fileprivate init(_ instant: EngineInstant) {
        // Rounded up, so that a timer does not ring just before its deadline.
        let (seconds, attoseconds) = instant.sinceStart.components
        self = .uptimeNanoseconds(UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000) + 1)
    }
}

package import NIOCore
package import WhereaboutsVocabulary

/// A timer on an event loop for a state machine whose deadline changes with almost every input.
///
/// It uses `CLOCK_MONOTONIC`, which stops during suspension, and is meant for servers and programs with thousands of
/// links. The timer is set again only for an earlier deadline. For a later one it fires early, which state machines
/// ignore: a link that receives something every second sets one timer in three keepalive intervals.
package final class DeadlineTimer: Alarm {
    private let eventLoop: NIOIsolatedEventLoop
    private let reached: () -> Void
    private var ringing: (at: EngineInstant, task: Scheduled<Void>)?

    /// Creates a timer without a deadline.
    ///
    /// - Parameters:
    ///   - eventLoop: the event loop on which this object is used.
    ///   - reached: called when the timer fires; calls ``follow(_:)`` again.
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
    /// The present time on the clock of event loops.
    package static func onEventLoop() -> EngineInstant {
        EngineInstant(sinceStart: .nanoseconds(Int64(NIODeadline.now().uptimeNanoseconds)))
    }
}

extension NIODeadline {
    fileprivate init(_ instant: EngineInstant) {
        // Round up, so that a timer does not fire just before its deadline.
        let (seconds, attoseconds) = instant.sinceStart.components
        self = .uptimeNanoseconds(UInt64(seconds) * 1_000_000_000 + UInt64(attoseconds / 1_000_000_000) + 1)
    }
}

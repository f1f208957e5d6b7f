package import Dispatch
internal import Glibc
internal import WhereaboutsCLinux
package import WhereaboutsVocabulary

/// A timer on the clock that includes the time in which the device is suspended (`CLOCK_BOOTTIME`, ADR 0003).
///
/// A deadline that passed during suspension fires as soon as the device resumes. Timers of an event loop stop while it
/// is suspended, so that a device would notice a broken connection too late.
package final class BootTimer {
    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// Creates a timer without a deadline; nil, with `errno`, when no descriptor is available.
    ///
    /// - Parameters:
    ///   - queue: the queue on which `reached` is called.
    ///   - reached: called once at the deadline.
    package init?(queue: DispatchQueue, reached: @escaping @Sendable () -> Void) {
        let descriptor = clinux_timer()
        guard descriptor >= 0 else { return nil }
        self.descriptor = descriptor
        self.source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        self.source.setEventHandler {
            var expirations: UInt64 = 0
            _ = unsafe read(descriptor, &expirations, 8)
            reached()
        }
        self.source.setCancelHandler { close(descriptor) }
        self.source.activate()
    }

    deinit {
        self.source.cancel()
    }

    /// The time on this clock.
    package var now: EngineInstant { .sinceBoot() }

    /// Sets the deadline, or clears it if it is nil.
    package func follow(_ deadline: EngineInstant?) {
        // A time of 0 would stop the timer, so use at least 1; a past deadline fires at once.
        clinux_timer_set(self.descriptor, deadline.map { max(1, $0.sinceStart.nanoseconds) } ?? 0)
    }
}

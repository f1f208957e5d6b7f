package import Dispatch
internal import Glibc
internal import WhereaboutsCLinux
package import WhereaboutsVocabulary

/// A timer on the clock that counts the time in which the device sleeps (`CLOCK_BOOTTIME`, ADR 0003).
///
/// A deadline that passed meanwhile rings as soon as the device is awake. The timers of an event loop stop during
/// sleep, so a device would notice a connection that broke during sleep too late.
package final class BootTimer {
    private let descriptor: Int32
    private let source: any DispatchSourceRead

    /// Creates a timer that is not set; nil, with `errno`, when there is no descriptor left.
    ///
    /// - Parameters:
    ///   - queue: the queue on which `reached` is called.
    ///   - reached: called at the deadline, once.
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

    /// Rings at this deadline; not any more when it is nil.
    package func follow(_ deadline: EngineInstant?) {
        // At 0 the timer would stop; a past deadline fires at once.
        clinux_timer_set(self.descriptor, deadline.map { max(1, $0.sinceStart.nanoseconds) } ?? 0)
    }
}

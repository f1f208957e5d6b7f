internal import CLinux
internal import Dispatch
internal import Glibc
internal import LocationEngine
internal import Vocabulary

/// Calls back at the engine's next deadline, on a clock that counts suspended time.
final class BootTimer {
    private let descriptor: Int32
    private let source: any DispatchSourceRead

    init(queue: DispatchQueue, fired: @escaping @Sendable () -> Void) throws(DaemonError) {
        let descriptor = clinux_timer()
        guard descriptor >= 0 else {
            throw DaemonError("cannot make a timer: \(unsafe String(cString: strerror(errno)))")
        }
        self.descriptor = descriptor
        self.source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        self.source.setEventHandler {
            var expirations: UInt64 = 0
            _ = unsafe read(descriptor, &expirations, 8)
            fired()
        }
        self.source.setCancelHandler { close(descriptor) }
        self.source.activate()
    }

    deinit {
        self.source.cancel()
    }

    /// Sets the one deadline; nil: none.
    func set(_ deadline: EngineInstant?) {
        // At 0 the timer would stop; a deadline that is past fires at once.
        clinux_timer_set(self.descriptor, deadline.map { max(1, Clocks.nanoseconds($0)) } ?? 0)
    }
}

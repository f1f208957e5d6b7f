internal import Glibc
internal import Logging
internal import WhereaboutsDeviceCore
internal import WhereaboutsHostSupport
internal import WhereaboutsVocabulary

extension Daemon {
    /// Creates a timer that calls `reached` on this actor.
    func makeTimer(_ reached: @escaping @Sendable (isolated Daemon) -> Void) throws(DaemonError) -> BootTimer {
        let timer = BootTimer(queue: self.executor.queue) { [weak self] in self?.assumeIsolated { reached($0) } }
        guard let timer else { throw DaemonError("cannot make a timer: \(unsafe String(cString: strerror(errno)))") }
        return timer
    }

    /// Reports to the core that the deadline is reached, and logs why it was set.
    func deadlineReached() {
        if let deadline = self.core.nextDeadline {
            self.logger.debug("deadline reached", metadata: ["reason": "\(deadline.reason)"])
        }
        self.feed(DeviceCore.Event.deadlineReached)
    }
}

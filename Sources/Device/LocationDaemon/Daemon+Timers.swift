internal import Dispatch
internal import Glibc
internal import Logging
internal import WhereaboutsDeviceCore
internal import WhereaboutsHostSupport
internal import WhereaboutsVocabulary

extension Daemon {
    /// Reports to the core that the deadline is reached, and logs why it was set.
    func deadlineReached() {
        if let deadline = self.core.nextDeadline {
            self.logger.debug("deadline reached", metadata: ["reason": "\(deadline.reason)"])
        }
        self.feed(DeviceCore.Event.deadlineReached)
    }
}

extension BootTimer {
    /// Creates a timer that calls `reached` on the queue.
    static func make(queue: DispatchQueue, _ reached: @escaping @Sendable () -> Void) throws(DaemonError) -> BootTimer {
        if let timer = BootTimer(queue: queue, reached: reached) { return timer }
        throw DaemonError("cannot make a timer: \(unsafe String(cString: strerror(errno)))")
    }
}

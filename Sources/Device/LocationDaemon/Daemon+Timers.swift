internal import Glibc
internal import WhereaboutsHostSupport

extension Daemon {
    /// Creates a timer that calls `reached` on this actor.
    func makeTimer(_ reached: @escaping @Sendable (isolated Daemon) -> Void) throws(DaemonError) -> BootTimer {
        let timer = BootTimer(queue: self.executor.queue) { [weak self] in self?.assumeIsolated { reached($0) } }
        guard let timer else { throw DaemonError("cannot make a timer: \(unsafe String(cString: strerror(errno)))") }
        return timer
    }
}

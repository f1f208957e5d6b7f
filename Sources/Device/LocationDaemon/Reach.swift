internal import Dispatch
internal import Synchronization
internal import WhereaboutsDeviceCore

/// The daemon as its parts know it: the queue that they run on, and the entrance of the core.
final class DaemonReference: Sendable {
    private struct Target {
        weak var daemon: Daemon?
    }

    let queue: DispatchQueue
    private let target = Mutex(Target())

    init(queue: DispatchQueue) { self.queue = queue }

    fileprivate var daemon: Daemon? { self.target.withLock { $0.daemon } }

    func set(_ daemon: Daemon) { self.target.withLock { $0.daemon = daemon } }

    /// Passes an event to the core; call it on the queue only.
    func feed(_ event: DeviceCore.Event) { self.daemon?.assumeIsolated { $0.feed(event) } }

    /// Reaps the orphans that ended before or with a child; call it on the queue only.
    func childEnded() { self.daemon?.assumeIsolated { $0.reapOrphans() } }
}

/// The way from a handler on the daemon's queue to a part of the daemon, and to nothing else.
struct Reach<Part>: Sendable {
    let daemon: DaemonReference
    let part: @Sendable (isolated Daemon) -> Part?

    /// Runs `body`; returns nil, without running it, if the daemon or the part is gone.
    @discardableResult
    func callAsFunction<Result: Sendable>(_ body: @Sendable (Part) -> Result) -> Result? {
        self.daemon.daemon?.assumeIsolated { daemon in self.part(daemon).map(body) }
    }
}

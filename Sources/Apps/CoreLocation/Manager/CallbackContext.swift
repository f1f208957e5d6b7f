internal import CoreFoundation
internal import Foundation

/// The place where a manager's delegate is called; it depends on where the manager was created (ADR 0007).
///
/// | created | called |
/// |---|---|
/// | on the main thread, main queue or main actor | on the main queue |
/// | on another `Thread` | in its run loop, which is woken |
/// | on a dispatch queue or in a task | on a new serial queue |
package struct CallbackContext: Sendable {
    private let enqueue: @Sendable (@escaping @Sendable () -> Void) -> Void

    /// Creates a context.
    ///
    /// - Parameter enqueue: schedules closures, which run one after the other, and only after `enqueue` has returned.
    package init(_ enqueue: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void) {
        self.enqueue = enqueue
    }

    func perform(_ work: @escaping @Sendable () -> Void) { self.enqueue(work) }

    /// The context of the running code.
    static func current() -> CallbackContext {
        _ = self.markMainQueue
        // With an asynchronous `main`, the main queue does not run on the main thread, so check the queue's mark, too.
        if Thread.isMainThread || DispatchQueue.getSpecific(key: self.mainQueue) != nil {
            return CallbackContext { DispatchQueue.main.async(execute: $0) }
        }
        // Foundation reports a thread as not executing if it did not start it, such as a thread of a dispatch queue.
        return Thread.current.isExecuting ? self.ofThisRunLoop() : self.ofItsOwn()
    }

    private static let mainQueue = DispatchSpecificKey<Void>()
    private static let markMainQueue: Void = DispatchQueue.main.setSpecific(key: CallbackContext.mainQueue, value: ())

    private static func ofThisRunLoop() -> CallbackContext {
        // Any thread may add work to a run loop, but Foundation does not wake the run loop then.
        nonisolated(unsafe) let loop = RunLoop.current
        nonisolated(unsafe) let sleeper = CFRunLoopGetCurrent()
        return CallbackContext { work in
            unsafe loop.perform(work)
            unsafe CFRunLoopWakeUp(sleeper)
        }
    }

    private static func ofItsOwn() -> CallbackContext {
        _ = self.warnOnce
        let queue = DispatchQueue(label: "CoreLocation.delegate")
        return CallbackContext { queue.async(execute: $0) }
    }

    private static let warnOnce: Void = LocationClient.complain(
        """
        a CLLocationManager was created on a dispatch queue or in a task, where there is no run loop; its delegate is \
        called on a queue of its own. Create it on the main thread or the main actor to have it called there.
        """
    )
}

internal import Dispatch

/// Runs an actor on a serial dispatch queue, so that dispatch sources can call into it without a hop.
final class QueueExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(label: String) {
        self.queue = DispatchQueue(label: label, qos: .userInitiated)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        self.queue.async { unsafe unowned.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(self.queue))
    }
}

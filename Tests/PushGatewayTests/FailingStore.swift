internal import Synchronization
internal import WhereaboutsPushEngine

/// A store that fails when a test says so.
final class FailingDisk: Sendable {
    struct Failure: Error {}

    /// The parts of a store's work.
    enum Part { case transactions, writes }

    private let failing = Mutex<Set<Part>>([])

    /// Makes exactly these parts fail from now on.
    func fail(_ parts: Set<Part>) {
        self.failing.withLock { $0 = parts }
    }

    func check(_ part: Part) throws {
        if self.failing.withLock({ $0.contains(part) }) { throw Failure() }
    }
}

/// A store on a failing disk: its changes are undone.
struct FailingStore: PushStore {
    let base: any PushStore
    let disk: FailingDisk

    func transaction(surviving loss: PushStoreLoss, _ body: (any PushStoreTransaction) throws -> Void) throws {
        try self.base.transaction(surviving: loss) { transaction in
            try body(transaction)
            try self.disk.check(.transactions)
        }
    }

    func tryWriting() throws {
        try self.disk.check(.writes)
        try self.base.tryWriting()
    }

    var bytesCount: Int? { self.base.bytesCount }
}

internal import SharingEngine
internal import SharingServer
internal import SystemSimulator
internal import Vocabulary

/// The simulator's store behind the protocol of the server's, so that one suite checks both.
actor ModelStore: Store {
    private var contents = ModelRequestStore()

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any RequestStoreView) throws -> Value
    ) throws -> Value {
        try body(self.contents.view)
    }

    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any RequestStoreTransaction) throws -> Value
    ) throws -> Value {
        let (value, changed) = try self.contents.transaction(body)
        if let changed { self.contents = changed }
        return value
    }
}

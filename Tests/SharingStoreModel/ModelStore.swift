internal import SystemSimulator
package import WhereaboutsSharingEngine
internal import WhereaboutsSharingServer

/// Adapts the simulator's store to the protocol of the server's, so that one suite checks both.
package actor ModelStore: Store {
    private var contents = ModelRequestStore()

    /// Creates a store that holds nothing.
    package init() {}

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any RequestStoreView) throws -> Value
    ) throws -> Value {
        try self.contents.read(body)
    }

    /// Runs changes on the contents.
    package func transaction<Value: Sendable>(
        of key: StoreKey,
        surviving loss: StoreLoss,
        _ body: @escaping @Sendable (any RequestStoreTransaction) throws -> Value
    ) throws -> Value {
        let (value, changed) = try self.contents.transaction(body)
        if let changed { self.contents = changed }
        return value
    }

    /// Does nothing: memory takes every write.
    package func tryWriting() {}
}

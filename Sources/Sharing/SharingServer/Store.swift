package import WhereaboutsSharingEngine

/// The permanent state of the sharing server; a request is accepted when it is stored here.
///
/// A server keeps no other state that a restart must preserve.
package protocol Store: Sendable {
    /// Shows the contents at one moment.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any RequestStoreView) throws -> Value
    ) async throws -> Value

    /// Runs changes together; transactions on the same rows run one after another.
    ///
    /// They survive such a loss when this returns; when it throws, none of them happened.
    func transaction<Value: Sendable>(
        of key: StoreKey,
        surviving loss: StoreLoss,
        _ body: @escaping @Sendable (any RequestStoreTransaction) throws -> Value
    ) async throws -> Value

    /// Writes a row that changes nothing, to find out whether the disk accepts writes.
    func tryWriting() async throws
}

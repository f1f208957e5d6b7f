package import WhereaboutsSharingEngine

/// The truth of the sharing server: a request in it was accepted, any other was not.
///
/// Nodes hold nothing else between two calls that a restart would miss.
package protocol Store: Sendable {
    /// Shows the contents as one moment had them.
    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any RequestStoreView) throws -> Value
    ) async throws -> Value

    /// Runs changes as one, after each other: on disk when this returns; when it throws, none of them happened.
    func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (any RequestStoreTransaction) throws -> Value
    ) async throws -> Value

    /// Writes something that changes nothing, to find out whether the disk takes it.
    func tryWriting() async throws
}

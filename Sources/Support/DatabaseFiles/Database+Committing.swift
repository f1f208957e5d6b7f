package import GRDB

extension Database {
    /// Runs changes as one transaction.
    ///
    /// If its commit does not wait for the disk, a power failure may undo it; it is on disk with the next commit that waits.
    ///
    /// - Parameters:
    ///   - waits: whether the commit waits for the disk.
    ///   - body: makes the changes; if it throws, none of them happens.
    /// - Returns: the value of `body`.
    /// - Throws: the error of `body`, or SQLite's.
    package func committing<Value>(waitingForDisk waits: Bool, _ body: () throws -> Value) throws -> Value {
        // SQLite accepts this change only between transactions.
        if !waits { try self.cachedStatement(sql: "PRAGMA synchronous = NORMAL").execute() }
        let result = Result {
            var value: Value?
            try self.inTransaction {
                value = try body()
                return .commit
            }
            return value
        }
        if !waits { try self.cachedStatement(sql: "PRAGMA synchronous = FULL").execute() }
        guard let value = try result.get() else { throw DatabaseError(message: "the transaction did not run") }
        return value
    }
}

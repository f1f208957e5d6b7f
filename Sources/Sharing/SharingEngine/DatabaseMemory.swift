/// Decides when a sharer repeats its registration and its revocations, because the server may have lost them.
package struct DatabaseMemory: Sendable, Hashable {
    /// The database that has everything; nil before the first one.
    package private(set) var known: DatabaseID?

    /// Restores a stored ID.
    package init(known: DatabaseID?) { self.known = known }

    /// Actions returned by ``replied(by:)``.
    package enum OnReplied: Sendable, Hashable {
        /// The database has everything, or the server does not name it.
        case ignore
        /// Repeat the registration and the revocations; then call ``DatabaseMemory/toldAgain(_:)``.
        case tellAgain(DatabaseID)
    }

    /// Looks at the name of the database in a reply of the server.
    package func replied(by database: DatabaseID?) -> OnReplied {
        guard let database, database != self.known else { return .ignore }
        return .tellAgain(database)
    }

    /// Records that a database has everything; keep it on disk.
    package mutating func toldAgain(_ database: DatabaseID) { self.known = database }
}

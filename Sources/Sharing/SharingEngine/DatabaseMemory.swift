/// Decides when a sharer repeats its registration and its revocations, because the server may have lost them.
package struct DatabaseMemory: Sendable, Hashable {
    /// The database that has all messages of this profile; nil before the first one.
    package private(set) var known: DatabaseID?

    /// Restores a stored ID.
    package init(known: DatabaseID?) { self.known = known }

    /// Actions returned by ``replied(by:)``.
    package enum OnReplied: Sendable, Hashable {
        /// Nothing to repeat: the database has all messages, or the server does not name it.
        case ignore
        /// Repeat the registration and the revocations; then call ``DatabaseMemory/toldAgain(_:)``.
        case tellAgain(DatabaseID)
    }

    /// Compares the name of the database in the server's reply.
    package func replied(by database: DatabaseID?) -> OnReplied {
        guard let database, database != self.known else { return .ignore }
        return .tellAgain(database)
    }

    /// Records that a database has all messages; store this on the disk.
    package mutating func toldAgain(_ database: DatabaseID) { self.known = database }
}

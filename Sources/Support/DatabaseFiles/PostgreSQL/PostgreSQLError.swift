/// Why an operation on a PostgreSQL database failed; without the contents of any row, and without a password.
package enum PostgreSQLError: Error, Hashable, CustomStringConvertible {
    /// No connection can be used, for this reason.
    case unusable(String)
    /// The connection was lost before its transaction was committed: nothing happened.
    case lost
    /// The server refused a statement, with this SQLSTATE and message: nothing happened.
    case refused(state: String, message: String)
    /// The server may have committed the transaction: the connection was lost before its reply, or the server stopped waiting
    /// for its standby.
    case outcomeUnknown
    /// A column has another type or value than this version writes.
    case wrongType

    /// The refusal of a transaction whose rows another transaction changed.
    package static let changedMeanwhile = Self.refused(state: "40001", message: "the rows changed meanwhile")

    package var description: String {
        switch self {
        case .unusable(let reason): reason
        case .lost: "the connection was lost"
        case .refused(let state, _): "SQLSTATE \(state)"
        case .outcomeUnknown: "the outcome of a commit is unknown"
        case .wrongType: "a row has values that this version does not write"
        }
    }

    /// The reason for the person who named the database: with the server's message, which a log must not contain.
    package var reason: String {
        if case .refused(_, let message) = self { message } else { self.description }
    }

    /// Whether the operation may succeed on another connection, or a moment later: nothing happened.
    package var mayPass: Bool {
        switch self {
        case .lost: true
        case .refused(let state, _): Self.conflicts.contains(state) || self.needsNewConnection
        case .unusable, .outcomeUnknown, .wrongType: false
        }
    }

    /// Whether the server is fine, and this connection to it is not.
    package var needsNewConnection: Bool {
        guard case .refused(let state, _) = self else { return false }
        return Self.connectionFaults.contains(state)
    }

    /// A serialization failure, and a deadlock.
    private static let conflicts: Set = ["40001", "40P01"]
    /// The server became a standby; a prepared statement is gone, or its tables have changed.
    private static let connectionFaults: Set = ["25006", "26000", "0A000"]
}

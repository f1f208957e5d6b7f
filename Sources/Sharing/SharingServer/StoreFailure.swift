internal import GRDB
internal import WhereaboutsDatabaseFiles

/// The cause of a store error for the log: the database's message, without the contents of any row.
enum StoreFailure {
    static func words(_ error: any Error) -> String {
        switch error {
        case let error as DatabaseError: "SQLite \(error.resultCode)"
        case let error as PostgreSQLError: "PostgreSQL: \(error)"
        default: "\(type(of: error))"
        }
    }
}

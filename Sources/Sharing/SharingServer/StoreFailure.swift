internal import GRDB

/// The cause of a store's failure, for the log: SQLite's own word on it, and nothing of a row.
enum StoreFailure {
    static func words(_ error: any Error) -> String {
        guard let error = error as? DatabaseError else { return "\(type(of: error))" }
        return "SQLite \(error.resultCode)"
    }
}

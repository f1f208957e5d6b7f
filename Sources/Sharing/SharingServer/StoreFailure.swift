internal import GRDB

/// The cause of a store error for the log: SQLite's message, without the contents of any row.
enum StoreFailure {
    static func words(_ error: any Error) -> String {
        guard let error = error as? DatabaseError else { return "\(type(of: error))" }
        return "SQLite \(error.resultCode)"
    }
}

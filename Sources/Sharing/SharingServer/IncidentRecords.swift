internal import Foundation
internal import GRDB
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsSharing
package import WhereaboutsSharingEngine

/// Reads the records of incidents from a server's database, also while the server runs.
package enum IncidentRecords {
    /// Reads all records.
    ///
    /// - Parameter database: the path of the server's SQLite file.
    /// - Returns: the records, the oldest first.
    /// - Throws: ``SharingError`` when the database cannot be read.
    package static func read(_ database: String) async throws -> [IncidentAudit] {
        let rows: [ResponderRow]
        do {
            rows = try await self.rows(database)
        } catch {
            let cause = (error as? DatabaseError)?.message ?? "\(error)"
            throw SharingError(
                .badProfile,
                "\(database) cannot be read (\(cause)): name the database of the sharing server with --database, and run this as its user "
                    + "or as root"
            )
        }
        let audits = rows.compactMap { if case .audited(let audit) = $0 { audit } else { nil } }
        return audits.sorted { ($0.opened, $0.incident.description) < ($1.opened, $1.incident.description) }
    }

    private static func rows(_ path: String) async throws -> [ResponderRow] {
        var configuration = Configuration()
        configuration.readonly = true
        return try await DatabaseQueue(path: path, configuration: configuration).read { database in
            if let error = try SQLiteStore.format.error(database) { throw error }
            return try SQLiteStore.responders(database, after: .beforeAudits, max: -1)
        }
    }
}

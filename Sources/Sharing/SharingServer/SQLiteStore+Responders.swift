internal import Foundation
internal import GRDB
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsSharing
package import WhereaboutsSharingEngine
package import WhereaboutsVocabulary

extension SQLiteStore: ResponderStore {
    package func responders(after key: ResponderRow.Key?, max: Int) async throws -> [ResponderRow] {
        try await self.database.read { try Self.responders($0, after: key, max: max) }
    }

    /// Reads rows; a negative `max` means all of them.
    static func responders(_ database: Database, after key: ResponderRow.Key?, max: Int) throws -> [ResponderRow] {
        let rows = try Row.fetchCursor(
            database.cachedStatement(sql: "SELECT content FROM responder WHERE key > ? ORDER BY key LIMIT ?"),
            arguments: [Data(key?.bytes ?? []), max]
        )
        var all: [ResponderRow] = []
        while let row = try rows.next() { all.append(try ResponderRow(bytes: [UInt8](row[0] as Data))) }
        return all
    }

    package func keep(_ rows: [ResponderRow], now: WallTime) async throws {
        try await self.database.writeWithoutTransaction { database in
            try database.committing(waitingForDisk: true) {
                let insert = try database.cachedStatement(
                    sql: "INSERT OR REPLACE INTO responder (key, content, kept_until) VALUES (?, ?, ?)"
                )
                for row in rows {
                    try insert.execute(
                        arguments: [Data(row.key.bytes), Data(row.bytes), row.keptUntil?.milliseconds]
                    )
                }
                try database.cachedStatement(
                    sql: """
                        DELETE FROM responder WHERE key IN (SELECT key FROM responder WHERE kept_until <= ? LIMIT ?)
                        """
                ).execute(arguments: [now.milliseconds, Server.pruneMax])
            }
        }
    }
}

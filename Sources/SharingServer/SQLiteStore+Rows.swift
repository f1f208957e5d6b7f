internal import Foundation
internal import GRDB
internal import Sharing
internal import SharingEngine

/// How requests become rows, and rows requests.
extension SQLiteStore {
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("1") { database in
            try database.execute(
                sql: """
                    CREATE TABLE device (
                        sharer BLOB PRIMARY KEY NOT NULL, token BLOB NOT NULL, topic TEXT NOT NULL, issued INTEGER NOT NULL
                    ) WITHOUT ROWID;
                    CREATE TABLE revocation (
                        sharer BLOB NOT NULL, grant_id BLOB NOT NULL, not_after INTEGER NOT NULL,
                        PRIMARY KEY (sharer, grant_id)
                    ) WITHOUT ROWID;
                    CREATE TABLE grant_use (
                        sharer BLOB NOT NULL, grant_id BLOB NOT NULL, last INTEGER NOT NULL, not_after INTEGER NOT NULL,
                        PRIMARY KEY (sharer, grant_id)
                    ) WITHOUT ROWID;
                    CREATE TABLE request (
                        id BLOB UNIQUE NOT NULL, sharer BLOB NOT NULL, signed BLOB NOT NULL, expires INTEGER NOT NULL,
                        state TEXT, next_push INTEGER, give_up INTEGER, deadline INTEGER, history BLOB, answer BLOB
                    );
                    CREATE INDEX request_deadline ON request (deadline) WHERE deadline IS NOT NULL;
                    CREATE INDEX request_sharer ON request (sharer) WHERE deadline IS NOT NULL;
                    CREATE INDEX request_expires ON request (expires);
                    """
            )
        }
        return migrator
    }

    static func request(_ id: RequestID, _ policy: Policy, _ database: Database) throws -> RequestRecord? {
        try Row.fetchOne(database, sql: "SELECT * FROM request WHERE id = ?", arguments: [Data(id.bytes)])
            .map { try self.record($0, policy) }
    }

    static func record(_ row: Row, _ policy: Policy) throws -> RequestRecord {
        let history = try JSONDecoder().decode([Wire.State].self, from: row["history"] as Data).compactMap(\.state)
        guard let state = self.state(row) else {
            throw SharingError(.badHome, "a request in the database has an unknown state; use a server of its version")
        }
        return RequestRecord(
            request: try Signed<Request>(bytes: [UInt8](row["signed"] as Data)),
            life: RequestLife(
                restoring: state,
                history: history,
                expires: WallTime(milliseconds: row["expires"]),
                policy: policy
            ),
            answer: (row["answer"] as Data?).map { [UInt8]($0) }
        )
    }

    static func write(_ life: RequestLife, of id: Data, _ database: Database) throws {
        let (state, nextPush, giveUp) = self.columns(life.state)
        let history = try JSONEncoder().encode(life.history.map { Wire.State($0) })
        try database.execute(
            sql: "UPDATE request SET state = ?, next_push = ?, give_up = ?, deadline = ?, history = ? WHERE id = ?",
            arguments: [
                state.rawValue, nextPush?.milliseconds, giveUp?.milliseconds, life.deadline?.milliseconds, history, id,
            ]
        )
    }

    private static func columns(
        _ state: RequestLife.State
    ) -> (state: RequestState.Kind, nextPush: WallTime?, giveUp: WallTime?) {
        switch state {
        case .accepted(let nextPush, let giveUp): (.accepted, nextPush, giveUp)
        case .pushed(let giveUp): (.pushed, nil, giveUp)
        case .woken(let giveUp): (.woken, nil, giveUp)
        case .locating(let giveUp): (.locating, nil, giveUp)
        case .answered: (.answered, nil, nil)
        case .unreachable: (.unreachable, nil, nil)
        case .expired: (.expired, nil, nil)
        case .failed: (.failed, nil, nil)
        }
    }

    private static func state(_ row: Row) -> RequestLife.State? {
        let giveUp = (row["give_up"] as Int64?).map { WallTime(milliseconds: $0) }
        let nextPush = (row["next_push"] as Int64?).map { WallTime(milliseconds: $0) }
        switch (RequestState.Kind(rawValue: row["state"]), nextPush, giveUp) {
        case (.accepted, .some(let nextPush), .some(let giveUp)): return .accepted(nextPush: nextPush, giveUp: giveUp)
        case (.pushed, _, .some(let giveUp)): return .pushed(giveUp: giveUp)
        case (.woken, _, .some(let giveUp)): return .woken(giveUp: giveUp)
        case (.locating, _, .some(let giveUp)): return .locating(giveUp: giveUp)
        case (.answered, _, _): return .answered
        case (.unreachable, _, _): return .unreachable
        case (.expired, _, _): return .expired
        case (.failed, _, _): return .failed
        default: return nil
        }
    }
}

internal import Foundation
internal import GRDB
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Schedules and their occurrences in the database.
extension SQLiteTransaction {
    func timer(_ id: RequestID) throws -> TimerRecord? {
        try Row.fetchOne(
            self.statement("SELECT signed, next_turn, next_at, reason, end, kept_until FROM timer WHERE id = ?"),
            arguments: [Data(id.bytes)]
        ).map(Self.timer)
    }

    func timerLoad(under grant: Grant) throws -> TimerLoad {
        let row = try Row.fetchOne(
            self.statement(
                """
                SELECT count(*), count(CASE WHEN grant_id = ? THEN 1 END) FROM timer
                WHERE sharer = ? AND next_at IS NOT NULL
                """
            ),
            arguments: [Data(grant.id.bytes), Data(grant.sharer.bytes)]
        )
        return TimerLoad(ofSharer: row?[0] ?? 0, underGrant: row?[1] ?? 0)
    }

    func timersDue(now: WallTime, max: Int) throws -> [RequestID] {
        try Data.fetchAll(
            self.statement("SELECT id FROM timer WHERE next_at <= ? ORDER BY next_at, id LIMIT ?"),
            arguments: [now.milliseconds, max]
        ).compactMap { RequestID(bytes: [UInt8]($0)) }
    }

    func turns(of timer: RequestID, after turn: UInt16, max: Int) throws -> [RequestRecord] {
        try Row.fetchAll(
            self.statement("SELECT * FROM request WHERE timer = ? AND turn > ? ORDER BY turn LIMIT ?"),
            arguments: [Data(timer.bytes), Int64(turn), max]
        ).map { try Self.record($0, self.policy) }
    }

    func put(_ timer: TimerRecord) throws {
        let grant = timer.request.value.grant.value
        try self.execute(
            """
            INSERT OR REPLACE INTO timer (id, sharer, grant_id, signed, next_turn, next_at, reason, end, kept_until)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                Data(timer.id.bytes), Data(grant.sharer.bytes), Data(grant.id.bytes), Data(timer.request.bytes),
                timer.next.map { Int64($0.turn) }, timer.next?.time.milliseconds,
                timer.end.map { Int64($0.reason.rawValue) }, timer.end.map { Data($0.statement) },
                timer.keptUntil.milliseconds,
            ]
        )
    }

    func dropTurns(of timer: RequestID, through turn: UInt16) throws {
        try self.execute(
            "DELETE FROM request WHERE timer = ? AND turn <= ? AND deadline IS NULL",
            [Data(timer.bytes), Int64(turn)]
        )
    }

    private static func timer(_ row: Row) throws -> TimerRecord {
        let turn = (row["next_turn"] as Int64?).flatMap { UInt16(exactly: $0) }
        let time = (row["next_at"] as Int64?).map { WallTime(milliseconds: $0) }
        return TimerRecord(
            request: try Signed<Request>(bytes: [UInt8](row["signed"] as Data)),
            next: turn.flatMap { turn in time.map { TimerRecord.Next(turn: turn, time: $0) } },
            end: try Self.end(row),
            keptUntil: WallTime(milliseconds: row["kept_until"])
        )
    }
}

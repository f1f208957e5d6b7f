internal import Foundation
internal import GRDB
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Schedules and their occurrences in the database.
extension SQLiteTransaction {
    func schedule(_ id: RequestID) throws -> ScheduleRecord? {
        try Row.fetchOne(
            self.statement("SELECT signed, next_turn, next_at, reason, end, kept_until FROM timer WHERE id = ?"),
            arguments: [Data(id.bytes)]
        ).map(Self.schedule)
    }

    func scheduleLoad(under grant: Grant) throws -> ScheduleLoad {
        let row = try Row.fetchOne(
            self.statement(
                """
                SELECT count(*), count(CASE WHEN grant_id = ? THEN 1 END) FROM timer
                WHERE sharer = ? AND next_at IS NOT NULL
                """
            ),
            arguments: [Data(grant.id.bytes), Data(grant.sharer.bytes)]
        )
        return ScheduleLoad(ofSharer: row?[0] ?? 0, underGrant: row?[1] ?? 0)
    }

    func schedulesDue(now: WallTime, max: Int) throws -> [RequestID] {
        try Data.fetchAll(
            self.statement("SELECT id FROM timer WHERE next_at <= ? ORDER BY next_at, id LIMIT ?"),
            arguments: [now.milliseconds, max]
        ).compactMap { RequestID(bytes: [UInt8]($0)) }
    }

    func occurrences(of schedule: RequestID, after occurrence: UInt16, max: Int) throws -> [RequestRecord] {
        try Row.fetchAll(
            self.statement("SELECT * FROM request WHERE timer = ? AND turn > ? ORDER BY turn LIMIT ?"),
            arguments: [Data(schedule.bytes), Int64(occurrence), max]
        ).map { try Self.record($0, self.policy) }
    }

    func put(_ schedule: ScheduleRecord) throws {
        let grant = schedule.request.value.grant.value
        try self.execute(
            """
            INSERT OR REPLACE INTO timer (id, sharer, grant_id, signed, next_turn, next_at, reason, end, kept_until)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                Data(schedule.id.bytes), Data(grant.sharer.bytes), Data(grant.id.bytes), Data(schedule.request.bytes),
                schedule.next.map { Int64($0.occurrence) }, schedule.next?.time.milliseconds,
                schedule.end.map { Int64($0.reason.rawValue) }, schedule.end.map { Data($0.statement) },
                schedule.keptUntil.milliseconds,
            ]
        )
    }

    func dropOccurrences(of schedule: RequestID, through occurrence: UInt16) throws {
        try self.execute(
            "DELETE FROM request WHERE timer = ? AND turn <= ? AND deadline IS NULL",
            [Data(schedule.bytes), Int64(occurrence)]
        )
    }

    private static func schedule(_ row: Row) throws -> ScheduleRecord {
        let occurrence = (row["next_turn"] as Int64?).flatMap { UInt16(exactly: $0) }
        let time = (row["next_at"] as Int64?).map { WallTime(milliseconds: $0) }
        return ScheduleRecord(
            request: try Signed<Request>(bytes: [UInt8](row["signed"] as Data)),
            next: occurrence.flatMap { occurrence in time.map { ScheduleRecord.Next(occurrence: occurrence, time: $0) }
            },
            end: try Self.end(row),
            keptUntil: WallTime(milliseconds: row["kept_until"])
        )
    }
}

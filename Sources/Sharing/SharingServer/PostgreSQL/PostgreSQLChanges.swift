internal import Foundation
internal import WhereaboutsAPNS
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

/// Collects changes as statements, which are sent together.
final class PostgreSQLChanges: RequestStoreChanges {
    private(set) var statements: [PostgreSQLStatement] = []

    private func add(_ sql: String, _ values: [PostgreSQLValue]) {
        self.statements.append(PostgreSQLStatement(sql, values))
    }

    private static func time(_ time: WallTime?) -> PostgreSQLValue { time.map { .integer($0.milliseconds) } ?? .null }

    func put(_ registration: Registration, at now: WallTime, until end: WallTime) {
        self.add(
            """
            INSERT INTO device (sharer, device, token, topic, issued, until, chosen, push_key, name, since)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            ON CONFLICT (sharer, device) DO UPDATE SET token = excluded.token, topic = excluded.topic,
            issued = excluded.issued, until = excluded.until, chosen = excluded.chosen, push_key = excluded.push_key,
            name = excluded.name
            """,
            [
                .bytes(registration.sharer.bytes), .bytes(registration.device.id.bytes), .bytes(registration.token),
                .text(registration.topic), Self.time(registration.issued), Self.time(end),
                Self.time(registration.device.chosen), .bytes(registration.device.pushKey),
                .bytes(registration.device.sealedName), Self.time(now),
            ]
        )
    }

    func drop(_ registration: Registration) {
        self.add(
            "DELETE FROM device WHERE sharer = $1 AND device = $2",
            [.bytes(registration.sharer.bytes), .bytes(registration.device.id.bytes)]
        )
    }

    func pause(_ token: DeviceToken, of sharer: PublicIdentity) {
        self.add(
            "UPDATE device SET token = '' WHERE sharer = $1 AND token = $2",
            [.bytes(sharer.bytes), .bytes(token.bytes)]
        )
    }

    func put(_ removal: DeviceRemoval, until end: WallTime) {
        self.add(
            """
            INSERT INTO removed_device (sharer, device, until) VALUES ($1, $2, $3)
            ON CONFLICT (sharer, device) DO UPDATE SET until = excluded.until
            """,
            [.bytes(removal.sharer.bytes), .bytes(removal.device.bytes), Self.time(end)]
        )
        self.add(
            """
            DELETE FROM removed_device WHERE sharer = $1 AND device NOT IN (
                SELECT device FROM removed_device WHERE sharer = $1 ORDER BY device = $2 DESC, until DESC, device LIMIT $3
            )
            """,
            [
                .bytes(removal.sharer.bytes), .bytes(removal.device.bytes),
                .integer(Int64(SharingPolicy.removedDevicesPerSharerMax)),
            ]
        )
    }

    func put(_ revocation: Revocation) {
        self.add(
            "INSERT INTO revocation (sharer, grant_id, not_after) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            [.bytes(revocation.sharer.bytes), .bytes(revocation.grant.bytes), Self.time(revocation.notAfter)]
        )
    }

    func put(_ link: LinkedGrant) {
        self.add(
            "INSERT INTO link (address, sharer, grant_id, not_after, sealed, uses) VALUES ($1, $2, $3, $4, $5, 0)",
            [
                .bytes(link.address.bytes), .bytes(link.sharer.bytes), .bytes(link.grant.bytes),
                Self.time(link.notAfter), .bytes(link.sealed),
            ]
        )
    }

    func countUse(of grant: Grant) {
        self.add(
            "UPDATE link SET uses = uses + 1 WHERE sharer = $1 AND grant_id = $2",
            [.bytes(grant.sharer.bytes), .bytes(grant.id.bytes)]
        )
    }

    func dropLinks(to grant: GrantID, of sharer: PublicIdentity) {
        self.add(
            "DELETE FROM link WHERE sharer = $1 AND grant_id = $2",
            [.bytes(sharer.bytes), .bytes(grant.bytes)]
        )
    }

    func insert(_ request: Signed<Request>, _ life: RequestLife) throws {
        let grant = request.value.grant.value
        self.add(
            """
            INSERT INTO request (id, sharer, grant_id, signed, expires, timer, turn, kept_until)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
            """,
            [
                .bytes(request.value.id.bytes), .bytes(grant.sharer.bytes), .bytes(grant.id.bytes),
                .bytes(request.bytes), Self.time(life.expires),
                request.value.occurrence == 0 ? .null : .bytes(request.value.firstID.bytes),
                .integer(Int64(request.value.occurrence)),
                Self.time(RequestRecord(request: request, life: life, answer: nil).keptUntil),
            ]
        )
        try self.put(life, of: request.value.id)
    }

    func put(_ life: RequestLife, of id: RequestID) throws {
        let (state, nextPush, giveUp) = SQLiteTransaction.columns(life.state)
        let history = try JSONEncoder().encode(life.history.map { Wire.State($0) })
        self.add(
            "UPDATE request SET state = $2, next_push = $3, give_up = $4, deadline = $5, history = $6 WHERE id = $1",
            [
                .bytes(id.bytes), .text(state), Self.time(nextPush), Self.time(giveUp), Self.time(life.deadline),
                .bytes([UInt8](history)),
            ]
        )
    }

    func put(paidUntil time: WallTime, under grant: Grant) {
        self.add(
            """
            INSERT INTO grant_use (sharer, grant_id, paid_until) VALUES ($1, $2, $3)
            ON CONFLICT (sharer, grant_id) DO UPDATE SET paid_until = excluded.paid_until
            """,
            [.bytes(grant.sharer.bytes), .bytes(grant.id.bytes), Self.time(time)]
        )
    }

    func put(pushesPaidUntil time: WallTime, of sharer: PublicIdentity) {
        self.add(
            """
            INSERT INTO device_use (sharer, paid_until) VALUES ($1, $2)
            ON CONFLICT (sharer) DO UPDATE SET paid_until = excluded.paid_until
            """,
            [.bytes(sharer.bytes), Self.time(time)]
        )
    }

    func strand(requestsTo sharer: PublicIdentity) { self.move(sharer, from: .answering, to: .astray) }

    func disown(strandedRequestsTo sharer: PublicIdentity) { self.move(sharer, from: .astray, to: .removed) }

    private func move(_ sharer: PublicIdentity, from before: ToldDevice, to device: ToldDevice) {
        for table in ["request", "following"] {
            self.add(
                "UPDATE \(table) SET told_device = $2 WHERE sharer = $1 AND told_device = $3",
                [.bytes(sharer.bytes), .integer(Int64(device.rawValue)), .integer(Int64(before.rawValue))]
            )
        }
    }

    func put(answer: [UInt8], to id: RequestID) {
        self.add("UPDATE request SET answer = $2 WHERE id = $1", [.bytes(id.bytes), .bytes(answer)])
    }

    func put(_ following: FollowingRecord) {
        let request = following.request.value
        self.add(
            """
            INSERT INTO following (id, sharer, signed, until, reason, statement, kept_until, told_device)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO UPDATE SET signed = excluded.signed,
            until = excluded.until, reason = excluded.reason, statement = excluded.statement,
            kept_until = excluded.kept_until, told_device = excluded.told_device
            """,
            [
                .bytes(request.id.bytes), .bytes(request.grant.value.sharer.bytes), .bytes(following.request.bytes),
                Self.time(request.followingEnd), Self.reason(following.end), Self.statement(following.end),
                Self.time(following.keptUntil), .integer(Int64(following.device.rawValue)),
            ]
        )
    }

    func put(_ schedule: ScheduleRecord) {
        let grant = schedule.request.value.grant.value
        self.add(
            """
            INSERT INTO timer (id, sharer, grant_id, signed, next_turn, next_at, reason, statement, kept_until)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (id) DO UPDATE SET signed = excluded.signed,
            next_turn = excluded.next_turn, next_at = excluded.next_at, reason = excluded.reason,
            statement = excluded.statement, kept_until = excluded.kept_until
            """,
            [
                .bytes(schedule.id.bytes), .bytes(grant.sharer.bytes), .bytes(grant.id.bytes),
                .bytes(schedule.request.bytes), schedule.next.map { .integer(Int64($0.occurrence)) } ?? .null,
                Self.time(schedule.next?.time), Self.reason(schedule.end), Self.statement(schedule.end),
                Self.time(schedule.keptUntil),
            ]
        )
    }

    private static func reason(_ end: FollowingRecord.End?) -> PostgreSQLValue {
        end.map { .integer(Int64($0.reason.rawValue)) } ?? .null
    }

    private static func statement(_ end: FollowingRecord.End?) -> PostgreSQLValue {
        end.map { .bytes($0.statement) } ?? .null
    }

    func dropOccurrences(of schedule: RequestID, through occurrence: UInt16) {
        self.add(
            "DELETE FROM request WHERE timer = $1 AND turn <= $2 AND deadline IS NULL",
            [.bytes(schedule.bytes), .integer(Int64(occurrence))]
        )
    }
}

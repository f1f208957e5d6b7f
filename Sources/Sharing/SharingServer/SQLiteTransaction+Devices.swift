internal import Foundation
internal import GRDB
internal import WhereaboutsAPNS
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

extension SQLiteTransaction {
    func registrations(of sharer: PublicIdentity) throws -> [Registration] {
        try Row.fetchAll(
            self.statement("SELECT * FROM device WHERE sharer = ? ORDER BY device"),
            arguments: [Data(sharer.bytes)]
        ).map { row in
            try Registration(
                sharer: sharer,
                token: [UInt8](row["token"] as Data),
                topic: row["topic"],
                issued: WallTime(milliseconds: row["issued"]),
                device: Self.device(row)
            )
        }
    }

    private static func device(_ row: Row) throws -> RegisteredDevice {
        guard let id = DeviceID(bytes: row["device"] as Data) else {
            throw SharingError(.badProfile, "A device in the database has no ID. Restore the database from a backup.")
        }
        return try RegisteredDevice(
            id: id,
            chosen: WallTime(milliseconds: row["chosen"]),
            pushKey: [UInt8](row["push_key"] as Data),
            sealedName: [UInt8](row["name"] as Data)
        )
    }

    func registeredSince(_ sharer: PublicIdentity) throws -> WallTime? {
        try Int64.fetchOne(
            self.statement("SELECT min(since) FROM device WHERE sharer = ?"),
            arguments: [Data(sharer.bytes)]
        ).map { WallTime(milliseconds: $0) }
    }

    func put(_ registration: Registration, at now: WallTime, until end: WallTime) throws {
        try self.execute(
            """
            INSERT INTO device (sharer, device, token, topic, issued, until, chosen, push_key, name, since)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT DO UPDATE SET token = excluded.token, topic = excluded.topic, issued = excluded.issued,
            until = excluded.until, chosen = excluded.chosen, push_key = excluded.push_key, name = excluded.name
            """,
            [
                Data(registration.sharer.bytes), Data(registration.device.id.bytes), Data(registration.token),
                registration.topic, registration.issued.milliseconds, end.milliseconds,
                registration.device.chosen.milliseconds, Data(registration.device.pushKey),
                Data(registration.device.sealedName), now.milliseconds,
            ]
        )
    }

    func drop(_ registration: Registration) throws {
        try self.execute(
            "DELETE FROM device WHERE sharer = ? AND device = ?",
            [Data(registration.sharer.bytes), Data(registration.device.id.bytes)]
        )
    }

    func pause(_ token: DeviceToken, of sharer: PublicIdentity) throws {
        try self.execute(
            "UPDATE device SET token = x'' WHERE sharer = ? AND token = ?",
            [Data(sharer.bytes), Data(token.bytes)]
        )
    }

    func removalEnd(of device: DeviceID, of sharer: PublicIdentity) throws -> WallTime? {
        try Int64.fetchOne(
            self.statement("SELECT until FROM removed_device WHERE sharer = ? AND device = ?"),
            arguments: [Data(sharer.bytes), Data(device.bytes)]
        ).map { WallTime(milliseconds: $0) }
    }

    func put(_ removal: DeviceRemoval, until end: WallTime) throws {
        let sharer = Data(removal.sharer.bytes)
        try self.execute(
            "INSERT OR REPLACE INTO removed_device (sharer, device, until) VALUES (?, ?, ?)",
            [sharer, Data(removal.device.bytes), end.milliseconds]
        )
        try self.execute(
            """
            DELETE FROM removed_device WHERE sharer = ? AND device NOT IN (
                SELECT device FROM removed_device WHERE sharer = ?
                ORDER BY device = ? DESC, until DESC, device LIMIT ?
            )
            """,
            [sharer, sharer, Data(removal.device.bytes), SharingPolicy.removedDevicesPerSharerMax]
        )
    }
}

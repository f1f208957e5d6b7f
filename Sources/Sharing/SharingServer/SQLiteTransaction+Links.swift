internal import Foundation
internal import GRDB
internal import WhereaboutsSharing
internal import WhereaboutsSharingEngine
internal import WhereaboutsVocabulary

extension SQLiteTransaction {
    func link(_ address: LinkAddress) throws -> LinkedGrant? {
        try Row.fetchOne(
            self.statement("SELECT sharer, grant_id, not_after, sealed FROM link WHERE address = ?"),
            arguments: [Data(address.bytes)]
        ).map { row in
            guard let sharer = PublicIdentity(bytes: [UInt8](row["sharer"] as Data)),
                let grant = GrantID(bytes: row["grant_id"] as Data)
            else {
                throw SharingError(
                    .badProfile,
                    "A link in the database is damaged. Restore the database from a backup."
                )
            }
            return LinkedGrant(
                address: address,
                sharer: sharer,
                grant: grant,
                notAfter: WallTime(milliseconds: row["not_after"]),
                sealed: [UInt8](row["sealed"] as Data)
            )
        }
    }

    func useCount(of link: LinkAddress) throws -> Int {
        try Int.fetchOne(
            self.statement("SELECT uses FROM link WHERE address = ?"),
            arguments: [Data(link.bytes)]
        ) ?? 0
    }

    func linkCount(of sharer: PublicIdentity) throws -> Int {
        try Int.fetchOne(
            self.statement("SELECT count(*) FROM link WHERE sharer = ?"),
            arguments: [Data(sharer.bytes)]
        ) ?? 0
    }

    func put(_ link: LinkedGrant) throws {
        try self.execute(
            "INSERT INTO link (address, sharer, grant_id, not_after, sealed, uses) VALUES (?, ?, ?, ?, ?, 0)",
            [
                Data(link.address.bytes), Data(link.sharer.bytes), Data(link.grant.bytes), link.notAfter.milliseconds,
                Data(link.sealed),
            ]
        )
    }

    func countUse(of grant: Grant) throws {
        try self.execute(
            "UPDATE link SET uses = uses + 1 WHERE sharer = ? AND grant_id = ?",
            [Data(grant.sharer.bytes), Data(grant.id.bytes)]
        )
    }

    func dropLinks(to grant: GrantID, of sharer: PublicIdentity) throws {
        try self.execute(
            "DELETE FROM link WHERE sharer = ? AND grant_id = ?",
            [Data(sharer.bytes), Data(grant.bytes)]
        )
    }
}

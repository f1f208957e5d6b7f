internal import Crypto
internal import Foundation
internal import GRDB
internal import WhereaboutsPushEngine

/// Only public keys are stored, so that no private key can be stolen from a gateway.
extension SQLitePushStore: ProviderKeyStore {
    /// Returns all keys, in the order of their teams and ids.
    public func providerKeys() throws -> [ProviderKey] {
        try self.database.read { database in
            let sql = "SELECT team, key, public_key, apps, relayed FROM provider_key ORDER BY team, key"
            return try Row.fetchAll(database, sql: sql)
                .map { row in
                    let (bytes, apps): (Data, String) = (row["public_key"], row["apps"])
                    let names = apps.split(separator: ",").map(String.init)
                    return ProviderKey(
                        teamID: row["team"],
                        keyID: row["key"],
                        publicKey: try P256.Signing.PublicKey(x963Representation: bytes),
                        scope: names.isEmpty ? .all : .apps(Set(names)),
                        relayedADay: row["relayed"]
                    )
                }
        }
    }

    /// Stores a key, replacing one with the same team and ID.
    public func put(_ key: ProviderKey) throws {
        try self.database.write { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO provider_key (team, key, public_key, apps, relayed) VALUES (?, ?, ?, ?, ?)
                    """,
                arguments: [
                    key.teamID, key.keyID, key.publicKey.x963Representation, key.apps.joined(separator: ","),
                    key.relayedADay,
                ]
            )
        }
    }

    /// Removes a key, or all keys of a team when no id is given.
    public func removeProviderKeys(teamID: String, keyID: String?) throws -> Bool {
        try self.database.write { database in
            try database.execute(
                sql: "DELETE FROM provider_key WHERE team = ?1 AND (?2 IS NULL OR key = ?2)",
                arguments: [teamID, keyID]
            )
            return database.changesCount > 0
        }
    }
}

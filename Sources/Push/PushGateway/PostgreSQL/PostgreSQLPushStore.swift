internal import Crypto
package import WhereaboutsDatabaseFiles
package import WhereaboutsPushEngine

/// A ``PushStore`` in a PostgreSQL database, which belongs to one gateway at a time (``PushSession``).
///
/// A batch costs two round trips, whatever its size: its reads, and its changes with their commit. Only this gateway writes, so
/// the reads need no transaction, and changes that surely did not happen are sent again on another session. A commit whose outcome is
/// unknown fails: each push of its batch is answered with an error, and the provider sends it again.
package final class PostgreSQLPushStore: PushStore {
    /// The maximum number of tokens and pushes, by PostgreSQL's own estimate.
    ///
    /// Source: our choice; it bounds what strangers can store, as the bytes of a SQLite file do.
    package static let rowsMax = 10_000_000

    private let address: PostgreSQLAddress
    let session: PushSession
    private let room: PostgreSQLPushTransaction.Room

    /// Connects to the database, and creates its tables if it is empty.
    ///
    /// - Parameters:
    ///   - address: the database.
    ///   - rowsMax: the maximum number of tokens and pushes.
    ///   - patience: how long to wait until the previous gateway releases the database.
    /// - Throws: ``GatewayError`` naming the database and the remedy.
    package init(
        _ address: PostgreSQLAddress,
        rowsMax: Int = PostgreSQLPushStore.rowsMax,
        patience: Duration = .zero
    ) throws {
        self.address = address
        self.room = PostgreSQLPushTransaction.Room(
            tokens: Int(Double(rowsMax) * SQLitePushStore.tokensPart),
            pushes: rowsMax
        )
        do {
            self.session = try PushSession(address, patience: patience)
        } catch {
            let reason = (error as? PostgreSQLError)?.reason ?? "\(error)"
            throw GatewayError(.badDatabase, "--database: \(address) cannot be used: \(reason)")
        }
    }

    /// Runs changes as one transaction; see ``PushEngine/PushStore/transaction(surviving:_:)``.
    package func transaction(
        surviving loss: PushStoreLoss,
        _ body: (any PushStoreTransaction) throws -> Void
    ) throws {
        let transaction = PostgreSQLPushTransaction(self.session, room: self.room, surviving: loss)
        do {
            try body(transaction)
            try transaction.commit()
        } catch {
            transaction.rollBack()
            throw transaction.failure ?? error
        }
    }

    /// Writes a row unchanged.
    package func tryWriting() throws {
        _ = try self.session.exchange([
            PostgreSQLStatement("BEGIN"),
            PostgreSQLStatement("UPDATE whereabouts_format SET version = version"),
            .commit,
        ])
    }

    /// The bytes of tokens and pushes with their indexes; nil if they cannot be read.
    package var bytesCount: Int? {
        let sizes = "SELECT pg_total_relation_size('token'::regclass) + pg_total_relation_size('push'::regclass)"
        return (try? self.session.exchange([PostgreSQLStatement(sizes)])[0][0].integer(0)).map { Int($0) }
    }

    /// Releases the database, which must not be used afterwards.
    package func close() { self.session.close() }
}

/// Only public keys are stored. A change uses a separate connection, because a batch may be using the gateway's.
extension PostgreSQLPushStore: ProviderKeyStore {
    /// Returns all keys, in the order of their teams and ids.
    package func providerKeys() throws -> [ProviderKey] {
        let sql = "SELECT team, key, public_key, apps, relayed FROM provider_key ORDER BY team, key"
        return try PostgreSQLConnection(self.address).exchange([PostgreSQLStatement(sql)])[0].map { row in
            let apps = try row.text(3).split(separator: ",").map(String.init)
            return ProviderKey(
                teamID: try row.text(0),
                keyID: try row.text(1),
                publicKey: try P256.Signing.PublicKey(x963Representation: row.bytes(2)),
                scope: apps.isEmpty ? .all : .apps(Set(apps)),
                relayedADay: try row.optionalInteger(4).map { Int($0) }
            )
        }
    }

    /// Stores a key, replacing one with the same team and ID.
    package func put(_ key: ProviderKey) throws {
        let put = PostgreSQLStatement(
            """
            INSERT INTO provider_key (team, key, public_key, apps, relayed) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (team, key) DO UPDATE SET public_key = excluded.public_key, apps = excluded.apps,
                relayed = excluded.relayed
            """,
            [
                .text(key.teamID), .text(key.keyID), .bytes(Array(key.publicKey.x963Representation)),
                .text(key.apps.joined(separator: ",")), key.relayedADay.map { .integer(Int64($0)) } ?? .null,
            ]
        )
        _ = try PostgreSQLConnection(self.address).exchange([PostgreSQLStatement("BEGIN"), put, .commit])
    }

    /// Removes a key, or all keys of a team when no id is given.
    package func removeProviderKeys(teamID: String, keyID: String?) throws -> Bool {
        let connection = try PostgreSQLConnection(self.address)
        let remove = PostgreSQLStatement(
            """
            WITH gone AS (DELETE FROM provider_key WHERE team = $1 AND ($2::text IS NULL OR key = $2) RETURNING 1)
            SELECT count(*) FROM gone
            """,
            [.text(teamID), keyID.map { .text($0) } ?? .null]
        )
        let rows = try connection.exchange([PostgreSQLStatement("BEGIN"), remove])[1]
        _ = try connection.exchange([.commit])
        return try rows[0].integer(0) > 0
    }
}

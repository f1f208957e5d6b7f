internal import Dispatch
internal import Synchronization
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsSharing
package import WhereaboutsSharingEngine

/// The store of a server in a PostgreSQL database.
///
/// Each connection has a queue, on which its calls block. A lost connection is replaced by the next operation that needs one. An
/// operation that surely did not happen is tried again; one whose outcome is unknown fails, and its client asks again.
package final class PostgreSQLStore: Store {
    /// A connection, or the place of one.
    private final class Place: Sendable {
        let queue: DispatchQueue
        let connection = Mutex<PostgreSQLConnection?>(nil)

        init(_ number: Int) { self.queue = DispatchQueue(label: "postgresql-\(number)") }
    }

    private struct Pool {
        var idle: [Place]
        var waiting: [CheckedContinuation<Place, Never>] = []
        /// Why there is no connection, and until when nobody tries again.
        var failure: (error: PostgreSQLError, until: ContinuousClock.Instant)?
    }

    /// The maximum number of rows; each kind of row may fill a share of them (``StoreRoom``).
    ///
    /// Source: our choice; it bounds what strangers can store, as the pages of a SQLite file do.
    static let rowsMax = 30_000_000
    /// How often an operation is tried that surely did not happen.
    private static let attemptsMax = 4
    /// How long no connection is tried after one failed.
    private static let pause = Duration.seconds(1)

    let database: CurrentDatabaseID
    private let address: PostgreSQLAddress
    private let policy: SharingPolicy
    private let pool: Mutex<Pool>

    /// Connects to the database, and creates its tables if it is empty.
    ///
    /// - Parameters:
    ///   - address: the database.
    ///   - policy: the numbers for restored requests.
    ///   - connections: the maximum number of connections.
    /// - Throws: ``SharingError`` when there is no connection, or the database is not one of this server.
    init(_ address: PostgreSQLAddress, policy: SharingPolicy, connections: Int = 16) throws {
        self.address = address
        self.policy = policy
        self.pool = Mutex(Pool(idle: (0..<connections).map { Place($0) }))
        do {
            let connection = try PostgreSQLConnection(address)
            try Self.format.prepare(connection)
            self.database = CurrentDatabaseID(try Self.databaseID(connection))
        } catch {
            let reason = (error as? PostgreSQLError)?.reason ?? "\(error)"
            throw SharingError(.badProfile, "--database: \(address) cannot be used: \(reason)")
        }
    }

    package func read<Value: Sendable>(
        _ body: @escaping @Sendable (any RequestStoreView) throws -> Value
    ) async throws -> Value {
        try await self.run { [policy] connection in
            let remote = PostgreSQLTransaction(connection, policy: policy, .read)
            defer { remote.rollBack() }
            return try body(PrefetchedTransaction(remote))
        }
    }

    package func transaction<Value: Sendable>(
        of key: StoreKey,
        surviving loss: StoreLoss,
        _ body: @escaping @Sendable (any RequestStoreTransaction) throws -> Value
    ) async throws -> Value {
        try await self.run { [policy] connection in
            let remote = PostgreSQLTransaction(connection, policy: policy, .write(key, surviving: loss))
            let transaction = PrefetchedTransaction(remote)
            do {
                let value = try body(transaction)
                try remote.commit(transaction.changes)
                return value
            } catch {
                remote.rollBack()
                throw error
            }
        }
    }

    package func tryWriting() async throws {
        try await self.run { connection in
            _ = try connection.exchange([PostgreSQLStatement("UPDATE whereabouts_format SET version = version")])
        }
    }

    // MARK: Connections

    private func run<Value: Sendable>(
        _ body: @escaping @Sendable (PostgreSQLConnection) throws -> Value
    ) async throws -> Value {
        let place = await withCheckedContinuation { continuation in
            let free: Place? = self.pool.withLock { pool in
                if pool.idle.isEmpty { pool.waiting.append(continuation) }
                return pool.idle.popLast()
            }
            if let free { continuation.resume(returning: free) }
        }
        defer { self.release(place) }
        return try await withCheckedThrowingContinuation { continuation in
            place.queue.async {
                continuation.resume(with: Result { try place.connection.withLock { try self.run(body, &$0) } })
            }
        }
    }

    private func release(_ place: Place) {
        let next: CheckedContinuation<Place, Never>? = self.pool.withLock { pool in
            guard pool.waiting.isEmpty else { return pool.waiting.removeFirst() }
            pool.idle.append(place)
            return nil
        }
        next?.resume(returning: place)
    }

    /// Runs an operation, and again if it surely did not happen and may succeed.
    private func run<Value>(
        _ body: (PostgreSQLConnection) throws -> Value,
        _ connection: inout PostgreSQLConnection?
    ) throws -> Value {
        var attempts = 1
        while true {
            do {
                if connection?.isLost ?? true { connection = nil }
                let usable = try connection ?? self.connect()
                connection = usable
                return try body(usable)
            } catch let error as PostgreSQLError where error.mayPass && attempts < Self.attemptsMax {
                attempts += 1
                if error.needsNewConnection { connection = nil }
            }
        }
    }

    private func connect() throws -> PostgreSQLConnection {
        if let failure = self.pool.withLock({ $0.failure }), .now < failure.until { throw failure.error }
        do {
            let connection = try PostgreSQLConnection(self.address)
            self.pool.withLock { $0.failure = nil }
            return connection
        } catch let error as PostgreSQLError {
            if !error.mayPass { self.pool.withLock { $0.failure = (error, .now + Self.pause) } }
            throw error
        }
    }
}

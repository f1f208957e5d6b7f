internal import Glibc
internal import Synchronization
internal import WhereaboutsDatabaseFiles

/// The gateway's session with a PostgreSQL database, which a lock keeps for one gateway.
///
/// The lock belongs to the session: PostgreSQL releases it with the session, after an open commit of the session has ended. A lost
/// session is replaced by the next operation, unless another gateway had the lock meanwhile: this gateway's memory of connected
/// devices would then be out of date.
final class PushSession: Sendable {
    private struct State {
        var connection: PostgreSQLConnection?
        var arrivals: ArrivalNumbers?
        /// Why there is no connection, and until when nobody tries again.
        var failure: (error: PostgreSQLError, until: ContinuousClock.Instant)?
        var roundTripsCount = 0
    }

    /// How often statements are sent that surely did not happen.
    static let attemptsMax = 4
    /// How long no connection is tried after one failed.
    private static let pause = Duration.seconds(1)
    /// How long a new session waits until PostgreSQL has ended the lost one.
    private static let patienceForOwnSession = Duration.seconds(2)

    private let address: PostgreSQLAddress
    /// A random number that identifies this gateway's sessions.
    private let holder = Int64.random(in: 1 ... .max)
    private let state = Mutex(State())

    /// Connects to the database, creates its tables if it is empty, and takes the lock.
    ///
    /// - Parameters:
    ///   - address: the database.
    ///   - patience: how long to wait until the previous gateway releases the lock.
    /// - Throws: ``PostgreSQLError`` if the database cannot be used.
    init(_ address: PostgreSQLAddress, patience: Duration) throws {
        self.address = address
        try self.state.withLock { _ = try self.connect(&$0, patience: patience) }
    }

    /// The number of round trips so far.
    var roundTripsCount: Int { self.state.withLock { $0.roundTripsCount } }

    /// Returns a number greater than those of all pushes before, or an arbitrary one if there was never a session.
    func nextArrival() -> Int64 { self.state.withLock { $0.arrivals?.next() ?? 0 } }

    /// Runs statements that are a whole transaction or begin one.
    ///
    /// Repeats them if they certainly had no effect.
    func exchange(_ statements: [PostgreSQLStatement]) throws -> [[PostgreSQLRow]] {
        try self.state.withLock { state in
            var attempts = 1
            while true {
                do {
                    return try self.exchange(statements, &state)
                } catch let error as PostgreSQLError where error.mayPass && attempts < Self.attemptsMax {
                    attempts += 1
                    if error.needsNewConnection { state.connection = nil }
                }
            }
        }
    }

    /// Runs statements of a transaction that has begun.
    func proceed(_ statements: [PostgreSQLStatement]) throws -> [[PostgreSQLRow]] {
        try self.state.withLock { state in
            guard let connection = state.connection, !connection.isLost else { throw PostgreSQLError.lost }
            state.roundTripsCount += 1
            return try connection.exchange(statements)
        }
    }

    func rollBack() {
        self.state.withLock { state in
            guard let connection = state.connection, !connection.isLost else { return }
            _ = try? connection.exchange([PostgreSQLStatement("ROLLBACK")])
        }
    }

    /// Ends the session, and releases the lock.
    func close() {
        self.state.withLock { $0.connection = nil }
    }

    private func exchange(_ statements: [PostgreSQLStatement], _ state: inout State) throws -> [[PostgreSQLRow]] {
        let connection = try self.connection(&state)
        state.roundTripsCount += 1
        do {
            return try connection.exchange(statements)
        } catch {
            // A refused statement leaves its transaction open.
            if !connection.isLost { _ = try? connection.exchange([PostgreSQLStatement("ROLLBACK")]) }
            throw error
        }
    }

    private func connection(_ state: inout State) throws -> PostgreSQLConnection {
        if let connection = state.connection, !connection.isLost { return connection }
        if let failure = state.failure, .now < failure.until { throw failure.error }
        // This ends what is left of the lost session.
        state.connection = nil
        do {
            state.failure = nil
            return try self.connect(&state, patience: Self.patienceForOwnSession)
        } catch let error as PostgreSQLError {
            if !error.mayPass { state.failure = (error, .now + Self.pause) }
            throw error
        }
    }

    private func connect(_ state: inout State, patience: Duration) throws -> PostgreSQLConnection {
        let connection = try PostgreSQLConnection(self.address)
        if state.arrivals == nil { try PostgreSQLPushStore.format.prepare(connection) }
        state.arrivals = try self.lock(connection, patience: patience, after: state.arrivals)
        state.connection = connection
        return connection
    }

    /// Takes the lock for a new session, and begins its era of arrival numbers.
    ///
    /// The commit of the new era waits for the standby, if there is one. Everything that the lost session committed, also with an
    /// unknown outcome, is then on the standby, too.
    private func lock(
        _ connection: PostgreSQLConnection,
        patience: Duration,
        after earlier: ArrivalNumbers?
    ) throws -> ArrivalNumbers {
        let deadline = ContinuousClock.now + patience
        // The session of a gateway whose machine or network failed must not keep the lock for hours.
        _ = try connection.exchange([
            PostgreSQLStatement(
                """
                SELECT set_config(name, setting, false) FROM (VALUES ('tcp_keepalives_idle', '10'),
                    ('tcp_keepalives_interval', '5'), ('tcp_keepalives_count', '2'), ('tcp_user_timeout', '20000'))
                    AS settings(name, setting)
                """
            )
        ])
        let lock = PostgreSQLStatement(
            "SELECT pg_try_advisory_lock(\(DatabaseOwner.pushGateway.rawValue), 'whereabouts_format'::regclass::oid::integer)"
        )
        while try connection.exchange([lock])[0][0].integer(0) == 0 {
            guard .now < deadline else {
                throw PostgreSQLError.unusable(
                    earlier == nil
                        ? "another gateway is using it, and a push database belongs to one gateway. Stop the other one"
                        : "this gateway's lost session has not ended yet, or another gateway is using it"
                )
            }
            usleep(50_000)
        }
        let row = try connection.exchange([PostgreSQLStatement("SELECT era, holder FROM gateway_session")])[0].first
        guard let row else { throw PostgreSQLError.wrongType }
        if earlier != nil, try row.integer(1) != self.holder {
            throw PostgreSQLError.unusable("another gateway has used it since this one lost it. Restart this gateway")
        }
        let era = try row.integer(0) + 1
        _ = try connection.exchange([
            PostgreSQLStatement("BEGIN"),
            PostgreSQLStatement(
                "UPDATE gateway_session SET era = $1, holder = $2",
                [.integer(era), .integer(self.holder)]
            ),
            .commit,
        ])
        return ArrivalNumbers(era: era)
    }
}

internal import Foundation

#if PostgreSQL
internal import WhereaboutsCLibPQ

/// A connection in pipeline mode, for one thread at a time: statements and their results are one round trip.
///
/// It is usable until ``isLost``. `COMMIT` has three outcomes: done, refused, and unknown.
@safe package final class PostgreSQLConnection {
    /// The oldest version of the server; older ones get no fixes from PostgreSQL any more.
    private static let versionMin: Int32 = 14
    /// Options that the URL may change.
    ///
    /// A server that does not answer is noticed within seconds; libpq itself has no limit.
    private static let defaults = [
        ("connect_timeout", "5"), ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "2"),
        ("tcp_user_timeout", "20000"), ("target_session_attrs", "read-write"),
        ("fallback_application_name", "whereabouts"),
    ]

    /// libpq's functions, which never change after they were found.
    private nonisolated(unsafe) static let library: Result<UnsafePointer<clibpq>, PostgreSQLError> = {
        var error: UnsafePointer<CChar>?
        if let library = unsafe clibpq_open(&error) { return unsafe .success(library) }
        let cause = unsafe error.map { unsafe String(cString: $0) } ?? ""
        return unsafe .failure(
            .unusable("PostgreSQL's client library cannot be loaded (\(cause)). Install it: apt-get install libpq5")
        )
    }()

    /// The warnings that the server sent during a batch.
    private final class Warnings { var count = 0 }

    private let pq: clibpq
    private let handle: OpaquePointer
    private let warnings = Warnings()
    /// The names of the prepared statements.
    private var names: [String: String] = [:]
    private var lastName = 0
    package private(set) var isLost = false

    /// Connects, and checks that acknowledged commits will be kept.
    package init(_ address: PostgreSQLAddress) throws {
        if address.isAmbiguous {
            throw PostgreSQLError.unusable("the URL has two @. Write an @ in a user name or a password as %40")
        }
        self.pq = unsafe try Self.library.get().pointee
        let options = Self.defaults + [("dbname", address.url), ("client_encoding", "UTF8")]
        let keywords = unsafe options.map { unsafe strdup($0.0) }
        let values = unsafe options.map { unsafe strdup($0.1) }
        defer { unsafe (keywords + values).forEach { unsafe free($0) } }
        let handle = unsafe self.pq.PQconnectdbParams(
            unsafe keywords.map { unsafe UnsafePointer($0) } + [nil],
            unsafe values.map { unsafe UnsafePointer($0) } + [nil],
            1
        )
        guard let handle = unsafe handle else { throw PostgreSQLError.unusable("out of memory") }
        unsafe self.handle = handle
        guard unsafe self.pq.PQstatus(handle) == CONNECTION_OK else {
            let cause = unsafe self.pq.PQerrorMessage(handle).map { unsafe String(cString: $0) }
            throw PostgreSQLError.unusable(address.withoutPasswords(cause ?? ""))
        }
        _ = unsafe self.pq.PQsetNoticeReceiver(
            handle,
            { unsafe PostgreSQLConnection.receive(notice: $1, $0) },
            unsafe Unmanaged.passUnretained(self.warnings).toOpaque()
        )
        guard unsafe self.pq.PQenterPipelineMode(handle) == 1 else { throw PostgreSQLError.lost }
        try self.check()
    }

    deinit { unsafe self.pq.PQfinish(self.handle) }

    private static func receive(notice: OpaquePointer?, _ warnings: UnsafeMutableRawPointer?) {
        guard let warnings = unsafe warnings, let pq = unsafe try? Self.library.get() else { return }
        // The other severities are remarks. This field is never translated.
        guard unsafe Self.field(clibpq_severity, of: notice, pq.pointee) == "WARNING" else { return }
        unsafe Unmanaged<Warnings>.fromOpaque(warnings).takeUnretainedValue().count += 1
    }

    private static func field(_ field: Int, of result: OpaquePointer?, _ pq: clibpq) -> String {
        unsafe pq.PQresultErrorField(result, Int32(field)).map { unsafe String(cString: $0) } ?? ""
    }

    // MARK: The session

    private func check() throws {
        let version = unsafe self.pq.PQserverVersion(self.handle)
        guard version / 10_000 >= Self.versionMin else {
            throw PostgreSQLError.unusable(
                "the database runs on PostgreSQL \(version / 10_000). Use PostgreSQL \(Self.versionMin) or later"
            )
        }
        // A pooler gives its clients process numbers that it made up.
        let process = try self.exchange([PostgreSQLStatement("SELECT pg_backend_pid()::bigint")])[0][0].integer(0)
        guard process == Int64(unsafe self.pq.PQbackendPID(self.handle)) else {
            throw PostgreSQLError.unusable(
                "a connection pooler (such as PgBouncer) is at this address, and mixes the sessions of its clients. Name the "
                    + "address of PostgreSQL itself: this program keeps its own connections"
            )
        }
        let fsync = try self.exchange([
            // No time limit may end a commit. A process that was stopped within a transaction must not keep its locks.
            PostgreSQLStatement(
                """
                SELECT set_config(name, CASE name WHEN 'idle_in_transaction_session_timeout' THEN '30s' ELSE '0' END, false)
                FROM pg_settings WHERE name IN ('statement_timeout', 'transaction_timeout', 'lock_timeout',
                    'idle_session_timeout', 'idle_in_transaction_session_timeout')
                """
            ),
            PostgreSQLStatement(
                """
                SELECT set_config('synchronous_commit', CASE current_setting('synchronous_commit')
                    WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, false)
                """
            ),
            PostgreSQLStatement("SELECT current_setting('fsync')"),
        ])[2][0].text(0)
        guard fsync == "on" else {
            throw PostgreSQLError.unusable(
                "its setting fsync is \(fsync): it would lose what this program acknowledged. Set it to on"
            )
        }
    }

    // MARK: Notifications

    /// The descriptor of the socket, which is readable when notifications have come.
    package var socket: Int32 { unsafe self.pq.PQsocket(self.handle) }

    /// Returns the texts that came for the channels of this connection, without its own, and does not wait.
    package func notifications() throws -> [String] {
        guard unsafe self.pq.PQconsumeInput(self.handle) == 1 else {
            self.isLost = true
            throw PostgreSQLError.lost
        }
        let own = unsafe self.pq.PQbackendPID(self.handle)
        var texts: [String] = []
        while let notification = unsafe self.pq.PQnotifies(self.handle) {
            defer { unsafe self.pq.PQfreemem(notification) }
            guard unsafe notification.pointee.be_pid != own, let text = unsafe notification.pointee.extra else {
                continue
            }
            texts.append(unsafe String(cString: text))
        }
        return texts
    }

    // MARK: Batches

    /// A part of a batch that has a result.
    private enum Command {
        case prepare(String)
        case run(isCommit: Bool)
    }

    /// A batch that is under way.
    private struct Batch {
        var commands: [Command] = []
        var results: [[PostgreSQLRow]] = []
        /// The first error: the server skips everything after it.
        var refusal: PostgreSQLError?
        var isCommitSent = false
        var isCommitted = false
        /// Whether the server ended this session before it executed `COMMIT`.
        var hasEnded = false

        /// The error of a connection that was lost during the batch.
        var loss: PostgreSQLError {
            self.refusal ?? (self.isCommitSent && !self.hasEnded ? .outcomeUnknown : .lost)
        }
    }

    private struct Loss: Error {}

    /// Runs statements in one round trip, and returns the rows of each; those of a batch with a `COMMIT` are left out.
    package func exchange(_ statements: [PostgreSQLStatement]) throws -> [[PostgreSQLRow]] {
        // Count the connection as lost until all results of the batch were read.
        self.isLost = true
        self.warnings.count = 0
        var batch = Batch()
        do {
            for statement in statements { try self.send(statement, &batch) }
            try self.check(unsafe self.pq.PQpipelineSync(self.handle))
            for command in batch.commands { try self.receive(command, &batch) }
            let end = try unsafe self.result()
            defer { unsafe self.pq.PQclear(end) }
            guard unsafe self.pq.PQresultStatus(end) == PGRES_PIPELINE_SYNC else { throw Loss() }
            self.isLost = false
        } catch is Loss {
            guard batch.isCommitted else { throw batch.loss }
        }
        if let refusal = batch.refusal { throw refusal }
        // The server warns if it stops waiting for the standby: what it committed may not survive the loss of this server.
        if batch.isCommitted, self.warnings.count > 0 {
            self.isLost = true
            throw PostgreSQLError.outcomeUnknown
        }
        return batch.results
    }

    private func check(_ isSent: Int32) throws { if isSent != 1 { throw Loss() } }

    private func send(_ statement: PostgreSQLStatement, _ batch: inout Batch) throws {
        let name: String
        if let known = self.names[statement.sql] {
            name = known
        } else {
            self.lastName += 1
            name = "s\(self.lastName)"
            try self.check(unsafe self.pq.PQsendPrepare(self.handle, name, statement.sql, 0, nil))
            self.names[statement.sql] = name
            batch.commands.append(.prepare(statement.sql))
        }
        let isCommit = statement.sql == PostgreSQLStatement.commit.sql
        batch.isCommitSent = batch.isCommitSent || isCommit
        try self.run(name, statement.values)
        batch.commands.append(.run(isCommit: isCommit))
    }

    private func run(_ name: String, _ values: [PostgreSQLValue]) throws {
        let wires = values.map(\.wire)
        let lengths = wires.map { Int32($0?.count ?? 0) }
        // One byte more: an empty array has no address, and libpq reads a null pointer as a null value.
        let all: [UInt8] = wires.reduce(into: [0]) { $0 += $1 ?? [] }
        let formats = Array(repeating: Int32(1), count: wires.count)
        let isSent = unsafe all.withUnsafeBytes { buffer in
            var offset = 1
            let pointers = unsafe wires.map { wire -> UnsafePointer<CChar>? in
                guard let wire else { return nil }
                defer { offset += wire.count }
                return unsafe buffer.baseAddress?.advanced(by: offset).assumingMemoryBound(to: CChar.self)
            }
            return unsafe self.pq.PQsendQueryPrepared(
                self.handle,
                name,
                Int32(wires.count),
                pointers,
                lengths,
                formats,
                1
            )
        }
        try self.check(isSent)
    }

    /// Waits for the next result.
    private func result() throws -> OpaquePointer {
        guard let result = unsafe self.pq.PQgetResult(self.handle) else { throw Loss() }
        return unsafe result
    }

    private func receive(_ command: Command, _ batch: inout Batch) throws {
        let result = try unsafe self.result()
        defer { unsafe self.pq.PQclear(result) }
        switch unsafe self.pq.PQresultStatus(result) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK:
            guard case .run(let isCommit) = command else { break }
            if isCommit {
                // The server answers ROLLBACK if the transaction had failed.
                batch.isCommitted = unsafe self.pq.PQcmdStatus(result).map { unsafe String(cString: $0) } == "COMMIT"
                if !batch.isCommitted { batch.refusal = .refused(state: "25P02", message: "rolled back") }
            } else if !batch.isCommitSent {
                batch.results.append(try unsafe self.rows(result))
            }
        case PGRES_PIPELINE_ABORTED: self.forget(command)
        default:
            self.forget(command)
            try unsafe self.fail(result, of: command, &batch)
        }
        // A null pointer ends the results of a command.
        guard unsafe self.pq.PQgetResult(self.handle) == nil else { throw Loss() }
    }

    private func forget(_ command: Command) {
        if case .prepare(let sql) = command { self.names[sql] = nil }
    }

    private func fail(_ result: OpaquePointer, of command: Command, _ batch: inout Batch) throws {
        func field(_ field: Int) -> String { unsafe Self.field(field, of: result, self.pq) }
        if field(clibpq_severity) != "ERROR" {
            // Without a severity, libpq itself noticed that the connection was closed.
            let isOfServer = !field(clibpq_severity).isEmpty
            if case .run(isCommit: true) = command {} else { batch.hasEnded = isOfServer }
            throw Loss()
        }
        let message = field(clibpq_message)
        batch.refusal = batch.refusal ?? .refused(state: field(clibpq_state), message: message)
    }

    private func rows(_ result: OpaquePointer) throws -> [PostgreSQLRow] {
        let columns = unsafe self.pq.PQnfields(result)
        return try (0..<(unsafe self.pq.PQntuples(result))).map { row in
            PostgreSQLRow(values: try (0..<columns).map { try unsafe self.value(result, row, $0) })
        }
    }

    private func value(_ result: OpaquePointer, _ row: Int32, _ column: Int32) throws -> PostgreSQLValue {
        if unsafe self.pq.PQgetisnull(result, row, column) == 1 { return .null }
        let bytes = unsafe UnsafeRawBufferPointer(
            start: self.pq.PQgetvalue(result, row, column),
            count: Int(self.pq.PQgetlength(result, row, column))
        )
        // The types' numbers in pg_type: bool and int8, text, bytea and void.
        switch unsafe self.pq.PQftype(result, column) {
        case 16, 20: return .integer(unsafe bytes.reduce(0) { $0 << 8 | Int64($1) })
        case 25: return .text(unsafe String(decoding: bytes, as: UTF8.self))
        case 17, 2278: return .bytes(unsafe Array(bytes))
        default: throw PostgreSQLError.wrongType
        }
    }
}
#else
/// No connection: this program was built without the trait `PostgreSQL`.
package final class PostgreSQLConnection {
    package var isLost: Bool { true }

    package init(_: PostgreSQLAddress) throws {
        throw PostgreSQLError.unusable("this program was built without PostgreSQL. Build it with the trait PostgreSQL")
    }

    package var socket: Int32 { -1 }

    package func notifications() throws -> [String] { throw PostgreSQLError.lost }

    package func exchange(_: [PostgreSQLStatement]) throws -> [[PostgreSQLRow]] { throw PostgreSQLError.lost }
}
#endif

internal import Foundation
internal import Logging
internal import Synchronization
internal import WhereaboutsDatabaseFiles
internal import WhereaboutsSharingEngine

/// Sends hints to the other servers with the same database and receives theirs, as notifications of PostgreSQL.
///
/// Hints leave outside of transactions and in batches, because each commit with a notification takes a lock of the whole
/// PostgreSQL server. While a batch is under way, the next one grows. Without a connection, hints are dropped.
final class PostgreSQLHints: Sendable {
    private struct Outgoing {
        var queue = HintQueue()
        /// Whether the thread will look here again without another ring of the bell.
        var isWoken = false
        var isStopped = false
    }

    /// The first pause before a new connection, which doubles up to ``pauseMax``.
    ///
    /// Source: our choice; readers poll meanwhile.
    private static let pauseMin = Duration.milliseconds(100)
    private static let pauseMax = Duration.seconds(5)
    /// The maximum number of received hints that wait; beyond this the oldest are dropped, and their readers poll.
    ///
    /// Source: our choice; as many as ``HintQueue/waitingMax``.
    private static let receivedMax = 10_000

    /// The inputs of the core, in order.
    let inputs: AsyncStream<SharingCore.Input>
    private let continuation: AsyncStream<SharingCore.Input>.Continuation
    private let address: PostgreSQLAddress
    private let database: CurrentDatabaseID
    private let logger: Logger
    private let outgoing = Mutex(Outgoing())
    /// Wakes the thread.
    private let bell = Pipe()

    init(_ address: PostgreSQLAddress, _ database: CurrentDatabaseID, logger: Logger) {
        (self.address, self.database, self.logger) = (address, database, logger)
        (self.inputs, self.continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.receivedMax))
    }

    /// Connects on a thread of its own, and again after each loss until ``stop()``.
    func start() { Thread.detachNewThread { self.run() } }

    func stop() { self.wake { $0.isStopped = true } }

    /// Sends a hint soon.
    func send(_ hint: NodeHint) { self.wake { $0.queue.add(hint) } }

    private func wake(_ change: (inout Outgoing) -> Void) {
        let isFirst = self.outgoing.withLock { outgoing in
            change(&outgoing)
            defer { outgoing.isWoken = true }
            return !outgoing.isWoken
        }
        if isFirst { try? self.bell.fileHandleForWriting.write(contentsOf: [0]) }
    }

    // MARK: The thread

    private func run() {
        var (pause, isDown) = (Self.pauseMin, false)
        var connected: ContinuousClock.Instant?
        while !self.outgoing.withLock({ $0.isStopped }) {
            do {
                let connection = try PostgreSQLConnection(self.address)
                let channel = try self.listen(connection)
                if isDown { self.logger.info("the connection for hints from other servers is back") }
                (connected, isDown) = (.now, false)
                // Hints were lost while there was no connection.
                self.continuation.yield(.hintsMissed)
                try self.serve(connection, channel)
            } catch {
                if !isDown {
                    self.logger.warning(
                        "The connection for hints from other servers is down; until it is back, clients may see changes made there 5 s late",
                        metadata: ["error": "\(StoreFailure.words(error))"]
                    )
                }
                isDown = true
                let now = ContinuousClock.now
                // Sessions may end at once, for example because PostgreSQL's queue of notifications is full.
                if let connected, connected + Self.pauseMax < now { pause = Self.pauseMin }
                connected = nil
                let end = now + pause
                // The hints of this time are dropped.
                while .now < end, self.waiting() != nil { self.wait(end - .now) }
                pause = min(pause * 2, Self.pauseMax)
            }
        }
    }

    /// Prepares a session, and returns the name of its channel.
    private func listen(_ connection: PostgreSQLConnection) throws -> String {
        // The schema has the tables: servers with the same tables have the same channel.
        let channel = try connection.exchange([
            PostgreSQLStatement("SELECT format('whereabouts_%s', current_schema()::regnamespace::oid)")
        ])[0][0].text(0)
        _ = try connection.exchange([
            PostgreSQLStatement("LISTEN \(channel)"),
            // A hint waits neither for the disk nor for a standby.
            PostgreSQLStatement("SET synchronous_commit = off"),
        ])
        // A crash of PostgreSQL empties the table of the ID, and also ended the last connection.
        self.database.set(try PostgreSQLStore.databaseID(connection))
        return channel
    }

    /// Sends and receives hints until stopped.
    private func serve(_ connection: PostgreSQLConnection, _ channel: String) throws {
        while let batch = self.waiting() {
            if !batch.isEmpty {
                let texts = batch.map { PostgreSQLValue.text($0.text) }
                _ = try connection.exchange([
                    PostgreSQLStatement(
                        "SELECT pg_notify($1, hint) FROM unnest($2::text[]) AS hint",
                        [.text(channel), .array(.text, texts)]
                    )
                ])
            }
            for text in try connection.notifications() {
                if let hint = NodeHint(text) { self.continuation.yield(.hinted(hint)) }
            }
            if batch.isEmpty { self.wait(nil, connection.socket) }
        }
    }

    /// Takes a batch of the hints that wait; nil: stopped.
    ///
    /// If there are none, the next one rings the bell.
    private func waiting() -> [NodeHint]? {
        self.outgoing.withLock { outgoing in
            guard !outgoing.isStopped else { return nil }
            let batch = outgoing.queue.takeBatch()
            outgoing.isWoken = !batch.isEmpty
            return batch
        }
    }

    /// Waits until the bell rings, the socket is readable, or the time is over.
    private func wait(_ time: Duration?, _ socket: Int32 = -1) {
        let bell = self.bell.fileHandleForReading.fileDescriptor
        var both = [bell, socket].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let milliseconds = time.map { Int32(max(1, $0 / .milliseconds(1))) } ?? -1
        _ = unsafe poll(&both, nfds_t(both.count), milliseconds)
        var byte: UInt8 = 0
        if both[0].revents != 0 { _ = unsafe read(bell, &byte, 1) }
    }
}

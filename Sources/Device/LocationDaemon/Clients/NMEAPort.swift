internal import Dispatch
internal import Glibc
internal import WhereaboutsCLinux
internal import WhereaboutsNetworkSupport
internal import WhereaboutsVocabulary

/// A listening stream socket that sends the same lines to all readers; used only on the daemon actor's queue.
///
/// Sending never blocks. A reader whose socket buffer is full is disconnected: it has not read about forty positions,
/// and would continue with old ones.
final class NMEAPort {
    /// The maximum number of readers at a time; GeoClue connects once for all its programs.
    static let readersMax = 8
    /// The bytes that the kernel buffers for a reader: about forty positions.
    private static let waitingBytesMax: Int32 = 16 * 1024

    /// An event at the port.
    enum Event {
        /// A reader connected or disconnected.
        case readersChanged
        /// A reader was turned away.
        case refused(pid: Int32, user: uid_t)
        /// A reader that did not read was disconnected.
        case cutOff
    }

    let path: String
    /// The identity of the socket's file when it was created.
    private let file: FileIdentity?
    private let queue: DispatchQueue
    private let listening: any DispatchSourceRead
    private let admits: @Sendable (_ pid: Int32, _ user: UInt32) -> Bool
    private let event: @Sendable (Event) -> Void
    /// The readers by their descriptors.
    private var connections: [Int32: Connection] = [:]

    struct Reader: Sendable, Hashable {
        /// The reader's process ID when it connected.
        let pid: Int32
        /// The process's user when it connected.
        let user: UInt32
        /// The time when it connected.
        let since: WallTime
    }

    private struct Connection {
        let reader: Reader
        let source: any DispatchSourceRead
        /// Whether the reader has received anything.
        var hasHeard = false
    }

    var readersCount: Int { self.connections.count }
    /// The readers, in the order of their connections.
    var readers: [Reader] { self.connections.values.map(\.reader).sorted { ($0.since, $0.pid) < ($1.since, $1.pid) } }
    /// Whether a connected reader has received nothing yet.
    var hasNewcomers: Bool { self.connections.values.contains { !$0.hasHeard } }

    /// The mode of the file at the path; nil: the path has no file.
    var mode: UInt32? {
        var status = stat()
        return unsafe lstat(self.path, &status) == 0 ? status.st_mode & 0o7777 : nil
    }

    /// Why no further program can find this port; nil if it can be found.
    var fault: String? {
        guard let now = try? FileIdentity(path: self.path) else {
            return "its file is gone, and no further program can connect"
        }
        return now == self.file ? nil : "another program put a file in its place, and further programs connect there"
    }

    /// Listens at a path, by the rule of ``ListeningSocket``.
    ///
    /// - Parameters:
    ///   - path: at most 107 bytes, the limit of Linux.
    ///   - mode: the mode of the socket's file.
    ///   - queue: the daemon's queue.
    ///   - admits: returns whether a process may read.
    ///   - event: receives each event.
    /// - Throws: ``DaemonError``.
    init(
        path: String,
        mode: UInt32,
        queue: DispatchQueue,
        admits: @escaping @Sendable (_ pid: Int32, _ user: UInt32) -> Bool,
        event: @escaping @Sendable (Event) -> Void
    ) throws(DaemonError) {
        let listener = try ListeningSocket.open(path, .stream, mode: mode, of: "--nmea-socket")
        self.path = path
        self.file = try? FileIdentity(path: path)
        self.queue = queue
        self.admits = admits
        self.event = event
        self.listening = DispatchSource.makeReadSource(fileDescriptor: listener, queue: queue)
        self.listening.setCancelHandler { Glibc.close(listener) }
    }

    /// Starts to accept readers.
    ///
    /// - Parameter accepted: called when readers wait; the owner then calls ``accept(at:gone:)``.
    func activate(_ accepted: @escaping @Sendable () -> Void) {
        self.listening.setEventHandler(handler: accepted)
        self.listening.activate()
    }

    /// Accepts waiting readers, at most 32 at a time.
    ///
    /// - Parameters:
    ///   - time: the present time.
    ///   - gone: called when a reader has disconnected; the owner then calls ``remove(_:)``.
    func accept(at time: WallTime, gone: @escaping @Sendable (Int32) -> Void) {
        for _ in 0..<32 {
            let reader = clinux_accept(Int32(self.listening.handle))
            guard reader >= 0 else { return }
            var pid: pid_t = 0
            var user: uid_t = 0
            guard unsafe clinux_peer(reader, &pid, &user) == 0, self.connections.count < Self.readersMax,
                self.admits(pid, user)
            else {
                Glibc.close(reader)
                self.event(.refused(pid: pid, user: user))
                continue
            }
            var bytes = Self.waitingBytesMax
            unsafe setsockopt(reader, SOL_SOCKET, SO_SNDBUF, &bytes, socklen_t(MemoryLayout<Int32>.size))
            let source = DispatchSource.makeReadSource(fileDescriptor: reader, queue: self.queue)
            source.setEventHandler { if Self.hasEnded(reader) { gone(reader) } }
            source.setCancelHandler { Glibc.close(reader) }
            self.connections[reader] = Connection(reader: Reader(pid: pid, user: user, since: time), source: source)
            source.activate()
            self.event(.readersChanged)
        }
    }

    /// Discards input of a reader, at most 16 KiB at a time, and returns whether it has disconnected.
    private static func hasEnded(_ reader: Int32) -> Bool {
        var heard = [UInt8](repeating: 0, count: 16 * 1024)
        let count = unsafe recv(reader, &heard, heard.count, Int32(MSG_DONTWAIT))
        return count == 0 || count < 0 && errno != EAGAIN && errno != EINTR
    }

    /// Forgets a reader.
    func remove(_ reader: Int32) {
        guard let connection = self.connections.removeValue(forKey: reader) else { return }
        connection.source.cancel()
        self.event(.readersChanged)
    }

    /// Sends lines to readers.
    ///
    /// - Parameters:
    ///   - lines: the lines.
    ///   - onlyNewcomers: whether to send the lines only to readers that have received nothing yet.
    func tell(_ lines: String, onlyNewcomers: Bool = false) {
        let bytes = Array(lines.utf8)
        for (reader, connection) in self.connections.sorted(by: { $0.key < $1.key }) {
            if onlyNewcomers, connection.hasHeard { continue }
            self.connections[reader]?.hasHeard = true
            let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
            let count = unsafe bytes.withUnsafeBytes { unsafe send(reader, $0.baseAddress, $0.count, flags) }
            // Disconnect the reader after a partial write: the rest of the line is lost.
            guard count != bytes.count else { continue }
            if count >= 0 || errno == EAGAIN { self.event(.cutOff) }
            self.remove(reader)
        }
    }

    /// Ends the connections of all readers.
    func removeReaders() { for reader in self.connections.keys.sorted() { self.remove(reader) } }

    /// Closes the port without reporting events.
    func close() {
        for connection in self.connections.values { connection.source.cancel() }
        self.connections = [:]
        self.listening.cancel()
    }
}

internal import Foundation
internal import Glibc
internal import Synchronization

/// A PostgreSQL of the rig, on a Unix socket in a temporary folder; it ends with this process, even if this process is killed.
///
/// It waits for the disk as an operator's does (`fsync`).
public final class PostgreSQLServer: Sendable {
    /// The programs of the newest installed version; nil: none is installed.
    public static let programs: String? = {
        let root = "/usr/lib/postgresql"
        let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        return versions.compactMap(Int.init).sorted().reversed().map { "\(root)/\($0)/bin" }
            .first { FileManager.default.isExecutableFile(atPath: "\($0)/postgres") }
    }()
    /// The message of a skipped test.
    public static let absence: String = "skipped: PostgreSQL is not installed (apt-get install postgresql)"

    private static let shared = Result { try PostgreSQLServer() }

    /// The folder of the socket.
    public let directory: String
    private let programs: String
    private let child: Child
    private let schemas = Mutex(0)

    /// The server that all tests of this process share; it starts with the first call.
    public static func ofThisProcess() throws -> PostgreSQLServer { try self.shared.get() }

    /// Creates a database and starts a server for it, within a minute.
    public init() throws {
        guard let programs = Self.programs else { throw RigError("PostgreSQL", Self.absence) }
        self.programs = programs
        // The path of a socket has at most 107 bytes.
        self.directory = "/tmp/postgresql-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: self.directory, withIntermediateDirectories: false)
        var launcher: [String] = []
        if geteuid() == 0 {
            // PostgreSQL does not run as root.
            guard let setpriv = Binaries.system("setpriv"), let user = unsafe getpwnam("nobody") else {
                throw RigError("PostgreSQL", "there is no setpriv, or no user nobody")
            }
            let (uid, gid) = unsafe (user.pointee.pw_uid, user.pointee.pw_gid)
            unsafe chown(self.directory, uid, gid)
            launcher = [setpriv, "--reuid", "\(uid)", "--regid", "\(gid)", "--clear-groups"]
        }
        // The shell ends the server when nobody reads its output any more, for which it must survive SIGPIPE.
        let script = """
            trap '' PIPE
            cd "$1" && programs=$2 && shift 2
            "$@" "$programs/initdb" -D data -U rig -A trust -E UTF8 --no-locale >initdb.log || exit
            "$@" "$programs/postgres" -D data -k "$PWD" -c listen_addresses= -c max_connections=300 -c shared_buffers=32MB &
            while sleep 1 && echo; do :; done
            kill -INT $!
            wait
            rm -rf "$PWD" "$PWD.log"
            """
        self.child = try Child(
            "PostgreSQL",
            "/bin/sh",
            ["-c", script, "sh", self.directory, programs] + launcher,
            log: self.directory + ".log"
        )
        try self.waitUntilReady()
    }

    deinit {
        self.child.kill()
        try? FileManager.default.removeItem(atPath: self.directory)
        try? FileManager.default.removeItem(atPath: self.directory + ".log")
    }

    /// The shell writes a line each second; the server is ready when it answers.
    private func waitUntilReady() throws {
        for _ in 0..<60 {
            _ = try self.child.waitForLine(within: 60) { _ in true }
            if (try? self.run("SELECT 1")) == "1\n" { return }
        }
        throw RigError("PostgreSQL", "it does not answer; see \(self.directory).log")
    }

    /// Runs SQL with psql, and returns the rows, each in a line.
    @discardableResult
    public func run(_ sql: String) throws -> String { try self.running(sql)() }

    /// Starts psql with SQL, and returns a function that waits for its end and returns the rows.
    public func running(_ sql: String) throws -> () throws -> String {
        let psql = try Child(
            "psql",
            self.programs + "/psql",
            ["-XAtq", "-v", "ON_ERROR_STOP=1", "-h", self.directory, "-U", "rig", "-d", "postgres", "-c", sql],
            log: self.directory + ".log"
        )
        return {
            let ended = try psql.waitForEnd(within: 60)
            guard ended.status == 0 else { throw RigError("psql", "it ended with \(ended.status): \(sql)") }
            return ended.output
        }
    }

    /// Waits until a query returns true, for at most half a minute.
    public func waitUntil(_ sql: String) throws {
        // The loop runs in the server, because a psql for each look keeps a processor busy.
        try self.run(
            """
            DO $$ BEGIN
                FOR look IN 1..3000 LOOP
                    IF (\(sql)) THEN RETURN; END IF;
                    PERFORM pg_sleep(0.01), pg_stat_clear_snapshot();
                END LOOP;
                RAISE 'it did not become true within 30 s';
            END $$
            """
        )
    }

    /// Creates an empty schema and returns a URL for it; the schema's name is also that of the program.
    ///
    /// - Parameter socket: the folder of the socket to connect to; nil: the server's.
    /// - Returns: the URL, and the name.
    /// - Throws: ``RigError`` if psql fails.
    public func address(socket: String? = nil) throws -> (url: String, name: String) {
        let name = "test\(self.schemas.withLock { $0 += 1; return $0 })"
        try self.run("CREATE SCHEMA \(name)")
        let options = "user=rig&application_name=\(name)&options=-csearch_path%3D\(name)"
        return ("postgres:///postgres?host=\(socket ?? self.directory)&\(options)", name)
    }
}
